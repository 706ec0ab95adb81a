"""A shop's page in Flask: what its items cost, as HTML."""

from flask import Flask

ITEMS = [("Lamp", 39.5), ("Chair", 120), ("Shelf", 75.25)]
app = Flask(__name__)
page = app.jinja_env.from_string("""<!doctype html>
<title>Shop</title>
<ul>
{% for name, price in items %}  <li>{{ name }}: {{ "%.2f" | format(price) }} €</li>
{% endfor %}</ul>
""")


@app.get("/")
def show_items() -> str:
    return page.render(items=ITEMS)

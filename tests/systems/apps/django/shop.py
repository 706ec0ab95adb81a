"""A shop's page in Django: an item from PostgreSQL, and the form that orders it. `python shop.py` makes the table."""

import os

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.template import engines
from django.urls import path

DATABASE = {"ENGINE": "django.db.backends.postgresql", "NAME": "postgres", "USER": "shop", "CONN_MAX_AGE": None}
settings.configure(
    SECRET_KEY=os.environ.get("SECRET_KEY", "of a shop without customers"),
    ALLOWED_HOSTS=["*"],
    ROOT_URLCONF=__name__,
    MIDDLEWARE=["django.middleware.common.CommonMiddleware", "django.middleware.csrf.CsrfViewMiddleware"],
    TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates"}],
    DATABASES={"default": DATABASE | {"HOST": os.environ["PGHOST"], "PORT": os.environ["PGPORT"]}},
)
application = get_wsgi_application()
page = engines["django"].from_string("""<!doctype html>
<title>Shop</title>
<h1>{{ name }}: {{ price }} €</h1>
<form method="post">{% csrf_token %}<button>Order</button></form>
""")


def show_item(request: HttpRequest) -> HttpResponse:
    with connection.cursor() as cursor:
        cursor.execute("SELECT name, price FROM item WHERE id = 1")
        name, price = cursor.fetchone()
    return HttpResponse(page.render({"name": name, "price": price}, request))


urlpatterns = [path("", show_item)]
if __name__ == "__main__":
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE item (id integer PRIMARY KEY, name text, price numeric(9, 2))")
        cursor.execute("INSERT INTO item VALUES (1, 'Lamp', 39.50)")

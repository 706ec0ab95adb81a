"""A shop's API in FastAPI: what its items cost, as JSON."""

from fastapi import FastAPI, HTTPException
from pydantic import BaseModel


class Item(BaseModel):
    id: int
    name: str
    price: float
    tags: list[str] = []


ITEMS = [
    Item(id=1, name="Lamp", price=39.5, tags=["desk", "light"]),
    Item(id=2, name="Chair", price=120, tags=["desk"]),
    Item(id=3, name="Shelf", price=75.25, tags=["wall", "oak"]),
]
app = FastAPI()


@app.get("/")
async def list_items() -> list[Item]:
    return ITEMS


@app.get("/items/{number}")
async def read_item(number: int) -> Item:
    for item in ITEMS:
        if item.id == number:
            return item
    raise HTTPException(404, "no such item")

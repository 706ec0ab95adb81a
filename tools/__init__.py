"""What the project needs besides the product: building, measuring the instrument, writing the docs."""

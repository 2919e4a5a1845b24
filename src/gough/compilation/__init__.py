"""The one compile service: a program becomes a `Function`, run on all cores or a GPU. It knows no robots."""

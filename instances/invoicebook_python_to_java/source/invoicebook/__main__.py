import os

from invoicebook.server import serve

serve(int(os.environ.get("PORT") or 8080))

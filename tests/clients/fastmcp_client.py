"""The FastMCP client, which signs in by itself: opens the browser and listens for its answer."""

import sys
import warnings

from fastmcp import Client
from fastmcp.client.auth import OAuth

from program import obey

# It keeps its sign-in in memory, and says that this is not for ever.
warnings.filterwarnings("ignore", message="Using in-memory token storage")

url, mode = sys.argv[1:]
sign_in = OAuth()

obey(Client(url, auth=sign_in, mode=mode), sign_in)

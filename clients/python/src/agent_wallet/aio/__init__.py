"""The client for asyncio and trio; `generate_async.py` makes it of the client for threads, apart from its driver."""

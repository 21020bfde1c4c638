"""The network as a compact layered drawing."""

"""Tools of a wallet in the form of other libraries, which are installed beside."""

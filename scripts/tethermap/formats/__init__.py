"""Text of structures of any format and program as the wwPDB would write it."""

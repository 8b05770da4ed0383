"""Games in the files of other programs, read: bytes in, frozen values out. One form is one module. Pure."""

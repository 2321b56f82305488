"""Python loads this at its start (PYTHONPATH). Programs that take their roots from certifi read no
variable: certifi gives them those of SSL_CERT_FILE, where the recorder's is. What the system or the
user has of this name is loaded too."""


def load_other(here):
    """Loads the sitecustomize that this file stands before."""
    import sys
    from importlib.machinery import PathFinder
    from importlib.util import module_from_spec

    others = [folder for folder in sys.path if folder != here]
    spec = PathFinder.find_spec(__name__, others)
    if spec and spec.loader:
        spec.loader.exec_module(module_from_spec(spec))


def lead_certifi(roots):
    """Has certifi name another file."""
    import sys
    from importlib.machinery import PathFinder

    class Finder:
        @staticmethod
        def find_spec(name, path=None, target=None):
            if name != 'certifi.core':
                return None
            spec = PathFinder.find_spec(name, path)
            if spec and spec.loader:
                load = spec.loader.exec_module
                spec.loader.exec_module = lambda module: (load(module), change(module))
            return spec

    def change(module):
        module.where = lambda: roots
        module.contents = lambda: open(roots, encoding='ascii', errors='ignore').read()

    sys.meta_path.insert(0, Finder)
    for name in 'certifi.core', 'certifi':  # where something else has asked for it before us
        if name in sys.modules:
            change(sys.modules[name])


def begin():
    import os

    roots = os.environ.get('SSL_CERT_FILE')
    if roots and os.path.isfile(roots):
        lead_certifi(roots)
    load_other(os.path.dirname(os.path.abspath(__file__)))


try:
    begin()
except ImportError:  # a Python that is older than what is used here
    pass

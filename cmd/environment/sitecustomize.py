"""Python loads this at its start (PYTHONPATH), for programs that no variable reaches: those that
take their roots from certifi get those of SSL_CERT_FILE, where the recorder's is; and the browsers
of Selenium get our flags, which the driver that starts them takes from Selenium alone. What the
system or the user has of this name is loaded too."""


def certifi(module):
    """Has certifi name another file."""
    import os

    roots = os.environ.get('SSL_CERT_FILE')
    if roots and os.path.isfile(roots):
        module.where = lambda: roots
        module.contents = lambda: open(roots, encoding='ascii', errors='ignore').read()


def selenium_options(module):
    """Adds those of our flags that are not there already."""
    own = module.ChromiumOptions.to_capabilities

    def to_capabilities(self):
        has = {argument.split('=')[0] for argument in self.arguments}
        for flag in settings()['flags']:
            if flag.split('=')[0] not in has:
                self.add_argument(flag)
        return own(self)

    module.ChromiumOptions.to_capabilities = to_capabilities


def selenium_client(module):
    """Has what is said to a driver on this machine go past the recorder."""
    own = module.ClientConfig.get_proxy_url

    def get_proxy_url(self):
        local = '//localhost:', '//127.0.0.1:'
        return None if any(at in self.remote_server_addr for at in local) else own(self)

    module.ClientConfig.get_proxy_url = get_proxy_url


def selenium_service(module):
    """Has the driver's end go past the recorder too."""
    from urllib.request import ProxyHandler, build_opener

    class Request:
        urlopen = build_opener(ProxyHandler({})).open

    module.request = Request


def settings():
    import json
    import os

    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(os.path.dirname(here), 'proxy.json')) as file:
        return json.load(file)


changes = {
    'certifi': certifi,
    'certifi.core': certifi,
    'selenium.webdriver.chromium.options': selenium_options,
    'selenium.webdriver.common.service': selenium_service,
    'selenium.webdriver.remote.client_config': selenium_client,
}


def change_modules():
    """Changes each of those modules when it has been loaded."""
    import sys
    from importlib.machinery import PathFinder

    class Finder:
        @staticmethod
        def find_spec(name, path=None, target=None):
            change = changes.get(name)
            spec = PathFinder.find_spec(name, path) if change else None
            if spec and spec.loader:
                load = spec.loader.exec_module
                spec.loader.exec_module = lambda module: (load(module), change(module))
            return spec

    sys.meta_path.insert(0, Finder)
    for name in changes:  # where something has asked for it before us
        if name in sys.modules:
            changes[name](sys.modules[name])


def load_other():
    """Loads the sitecustomize that this file stands before."""
    import os
    import sys
    from importlib.machinery import PathFinder
    from importlib.util import module_from_spec

    here = os.path.dirname(os.path.abspath(__file__))
    spec = PathFinder.find_spec('sitecustomize', [folder for folder in sys.path if folder != here])
    if spec and spec.loader:
        spec.loader.exec_module(module_from_spec(spec))


try:
    change_modules()
    load_other()
except ImportError:  # a Python that is older than what is used here
    pass

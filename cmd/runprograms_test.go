//go:build unix

package cmd

import (
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// needs skips a test where a program is not installed; the interop run has all of them.
func needs(t *testing.T, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skip(err)
	}
}

// asks is a program for Node.js that gets what it is given in each of its ways.
const asks = `
const http = require('http'), https = require('https');
const get = (url) => new Promise((done, fail) => {
  (url.startsWith('https') ? https : http).get(url, (answer) => {
    let text = '';
    answer.on('data', (piece) => { text += piece; }).on('end', () => done(text));
  }).on('error', fail);
});
(async () => {
  for (const url of process.argv.slice(2)) {
    process.stdout.write(await get(url + '/get'));
    process.stdout.write(await (await fetch(url + '/fetch')).text());
  }
})();
`

// TestRunNode: what Node.js of any age fetches by http, https and fetch goes through the recorder,
// and options that are inherited count.
func TestRunNode(t *testing.T) {
	needs(t, "node")
	plain, secure := greetingSites(t)
	dir := t.TempDir()
	script := filepath.Join(dir, "asks.cjs")
	if err := os.WriteFile(script, []byte(asks), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("NODE_OPTIONS", "--no-deprecation")
	got := runLine(t, dir, "node", script, plain.URL, secure.URL)
	if want := strings.Repeat("the page /get\nthe page /fetch\n", 2); got.stdout != want || got.code != 0 {
		t.Fatalf("%+v", got)
	}
	lines := linesIn(t, dir)
	for _, site := range []string{plain.URL, secure.URL} {
		for _, path := range []string{"/get", "/fetch"} {
			if strings.Count(lines, `"`+site+path+`"`) != 1 {
				t.Errorf("%s%s is not in the index", site, path)
			}
		}
	}
}

// TestRunNodeLocally: to a program that looks for a port of this machine that nobody has, there is
// one; and what no_proxy names goes past the recorder, though it has no other way through it.
func TestRunNodeLocally(t *testing.T) {
	needs(t, "node")
	plain, _ := greetingSites(t)
	free := httptest.NewServer(nil)
	free.Close()
	dir := t.TempDir()
	got := runLine(t, dir, "node", "-e", `
const [free, site] = process.argv.slice(1);
(async () => {
  await fetch(free).then(() => console.log('somebody'), (error) => console.log(error.cause.code));
  process.env.no_proxy = process.env.NO_PROXY = new URL(site).host;
  console.log((await (await fetch(site)).text()).trim());
})();`, free.URL, plain.URL)
	if got.stdout != "ECONNREFUSED\nthe page /\n" || got.code != 0 || linesIn(t, dir) != "" {
		t.Errorf("%+v, and %s", got, linesIn(t, dir))
	}
}

// TestRunPython: certifi gives the recorder's roots, whatever asks it and when, and what a user has
// Python load at its start is loaded.
func TestRunPython(t *testing.T) {
	needs(t, "python3")
	own := t.TempDir()
	for name, text := range map[string]string{
		"certifi/__init__.py": "from .core import contents, where\n",
		"certifi/core.py":     "def where(): return 'own'\ndef contents(): return 'own'\n",
		"sitecustomize.py":    "import sys\nsys.users = 'loaded'\n",
		"early/sitecustomize.py": "import certifi, sys\nsys.users = 'loaded'\n" +
			"assert 'CERTIFICATE' in certifi.contents()\n",
	} {
		path := filepath.Join(own, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{own, filepath.Join(own, "early") + ":" + own} {
		t.Setenv("PYTHONPATH", path)
		got := runLine(t, t.TempDir(), "python3", "-c", "import certifi, os, sys\n"+
			"ours = os.environ['SSL_CERT_FILE']\n"+
			"print(certifi.where() == ours, certifi.contents() in open(ours).read(), sys.users)")
		if got.stdout != "True True loaded\n" || got.code != 0 {
			t.Errorf("%s: %+v", path, got)
		}
	}
}

// TestRunSelenium: the browsers of Selenium get our flags, but for those that they have, and what it
// says to their driver goes past the recorder.
func TestRunSelenium(t *testing.T) {
	needs(t, "python3")
	plain, _ := greetingSites(t)
	own := t.TempDir()
	for name, text := range map[string]string{
		"__init__.py": "", "webdriver/__init__.py": "", "webdriver/chromium/__init__.py": "",
		"webdriver/remote/__init__.py": "", "webdriver/common/__init__.py": "",
		"webdriver/chromium/options.py": "class ChromiumOptions:\n" +
			"    arguments = ['--proxy-server=other:1']\n" +
			"    def add_argument(self, flag): self.arguments.append(flag)\n" +
			"    def to_capabilities(self): return self.arguments\n",
		"webdriver/remote/client_config.py": "class ClientConfig:\n" +
			"    def get_proxy_url(self): return 'proxy'\n",
		"webdriver/common/service.py": "from urllib import request\n" +
			"def end(url): return request.urlopen(url).read().decode()\n",
	} {
		path := filepath.Join(own, "selenium", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PYTHONPATH", own)
	dir := t.TempDir()
	got := runLine(t, dir, "python3", "-c", `
import sys
from selenium.webdriver.chromium.options import ChromiumOptions
from selenium.webdriver.remote.client_config import ClientConfig
from selenium.webdriver.common.service import end
print(*(flag.split('=')[0] for flag in ChromiumOptions().to_capabilities()))
client = ClientConfig()
for client.remote_server_addr in 'http://localhost:1', 'https://grid.example:4444':
    print(client.get_proxy_url())
print(end(sys.argv[1]), end='')`, plain.URL+"/shutdown")
	want := "--proxy-server --proxy-bypass-list --ignore-certificate-errors-spki-list --disable-quic\n" +
		"None\nproxy\nthe page /shutdown\n"
	if got.stdout != want || got.code != 0 || linesIn(t, dir) != "" {
		t.Errorf("%+v", got)
	}
}

// shownFlags is a browser that shows what it is started with, a flag a line.
const shownFlags = "#!/bin/sh\nprintf '%s\\n' \"$@\"\n"

// TestRunBrowsers: a browser of Chromium's kind gets our flags, by its name in a shell and by its
// path from Node.js, where something drives it. One that has a flag already keeps it.
func TestRunBrowsers(t *testing.T) {
	dir := t.TempDir()
	browser := filepath.Join(dir, "google-chrome")
	if err := os.WriteFile(browser, []byte(shownFlags), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	spawn := func(arguments string) []string {
		return []string{"node", "-e", "require('child_process').spawn('" + browser + "', " + arguments +
			", { stdio: 'inherit' })"}
	}
	for name, c := range map[string]struct {
		command []string
		flags   int
		own     string // the last of its own
	}{
		"by name":       {[]string{"google-chrome", "--headless", "a b"}, 4, "a b"},
		"from Node.js":  {spawn("['--headless', 'x y']"), 4, "x y"},
		"has its proxy": {spawn("['--headless', '--proxy-server=other:1']"), 3, "--proxy-server=other:1"},
		"nobody drives": {spawn("['--version']"), 0, "--version"},
	} {
		t.Run(name, func(t *testing.T) {
			needs(t, c.command[0])
			got := runLine(t, t.TempDir(), c.command...)
			shown := strings.Split(strings.TrimSpace(got.stdout), "\n")
			flags := 0
			for _, flag := range []string{"--proxy-server=http://127.0.0.1:", "--proxy-bypass-list=<-loopback>",
				"--ignore-certificate-errors-spki-list=", "--disable-quic"} {
				flags += strings.Count("\n"+got.stdout, "\n"+flag)
			}
			if flags != c.flags || shown[len(shown)-1] != c.own || got.code != 0 {
				t.Errorf("%d flags: %+v", flags, got)
			}
		})
	}
}

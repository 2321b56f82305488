package browser

import (
	"crypto/x509"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"warcorder/certs"
)

// quietFeatures are what Chromium would ask its maker's hosts for, or do to what is recorded, and
// has no other switch for.
var quietFeatures = []string{
	"AutofillServerCommunication",
	"CertificateTransparencyComponentUpdater",
	"DialMediaRouteProvider", // looks for televisions in the network
	"HttpsUpgrades",          // would ask for https:// where http:// was meant
	"InterestFeedContentSuggestions",
	"MediaRouter",
	"NetworkTimeServiceQuerying",
	"OptimizationGuideModelDownloading",
	"OptimizationHints",
	"Translate",
}

// prerender is what opens pages that nobody has gone to yet: whoever drives the browser would not
// know of them.
const prerender = "Prerender2"

// ProxyFlags lead a browser of Chromium's family through a proxy, host:port. It accepts a
// certificate by its key (SPKI) in place of trusting it, which nothing of the system has to know;
// the key must be that of a certificate that the proxy sends, and it sends what is to be trusted
// with each leaf. Pages are secure contexts then, with service workers.
func ProxyFlags(proxy string, ca *x509.Certificate) []string {
	return []string{
		"--proxy-server=http://" + proxy,
		"--proxy-bypass-list=<-loopback>", // loopback goes through it too
		"--ignore-certificate-errors-spki-list=" + certs.Pin(ca),
		"--disable-quic", // which goes past a proxy
	}
}

// chromium is the command that starts a browser of that family.
func chromium(p Program, o Options, ca *x509.Certificate, profile string) (*exec.Cmd, error) {
	arguments := append(ProxyFlags(o.Proxy, ca),
		"--user-data-dir="+profile,
		"--no-first-run",
		"--no-default-browser-check",
		"--disable-search-engine-choice-screen",
		"--password-store=basic", // no keyring of the desktop's
		"--use-mock-keychain",    // nor of macOS

		"--disable-background-networking",
		"--disable-breakpad",
		"--disable-client-side-phishing-detection",
		"--disable-component-update",
		"--disable-default-apps",
		"--disable-domain-reliability",
		"--disable-extensions",
		"--disable-field-trial-config",
		"--disable-sync",
		"--metrics-recording-only",
		"--no-pings",
		// Two that nothing turns off get addresses with a port that Chromium opens no connection to.
		"--component-updater=url-source=https://update.googleapis.com:1/",
		"--gaia-url=https://accounts.google.com:1",
	)
	features := quietFeatures
	if o.Driven {
		arguments = append(arguments, "--remote-debugging-pipe")
		features = append(slices.Clone(features), prerender)
	}
	arguments = append(arguments, "--disable-features="+strings.Join(features, ","))
	if p.IsUnprotected() {
		arguments = append(arguments, "--no-sandbox")
	}
	if o.Headless {
		arguments = append(arguments, "--headless", "--window-size="+headlessWidth+","+headlessHeight,
			"--mute-audio")
		if err := settle(profile, o.Driven); err != nil {
			return nil, err
		}
	}
	cmd := exec.Command(p.Path, append(arguments, o.URL)...)
	cmd.Env = append(inherited(), "BREAKPAD_DUMP_LOCATION="+filepath.Join(profile, "crashes"))
	return cmd, nil
}

// settle has what a page makes the browser download go with the profile, where nobody looks for it
// and no service of the maker's is asked about it: pages need no consent for a download. A browser
// that is driven asks nobody for a password: a page that wants one is shown as it says so.
func settle(profile string, driven bool) error {
	dir := filepath.Join(profile, "Default")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	err := writeJSON(filepath.Join(dir, "Preferences"), map[string]any{
		"download": map[string]any{
			"default_directory":   filepath.Join(profile, "downloads"),
			"prompt_for_download": false,
		},
		"safebrowsing": map[string]any{"enabled": false},
	})
	if err == nil && driven {
		err = writeJSON(filepath.Join(profile, "Local State"), map[string]any{
			"auth": map[string]any{"schemes": ""},
		})
	}
	return err
}

func writeJSON(path string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o600)
}

// The size of the window that nobody sees: that of common screens, since pages send pictures that
// fit.
const (
	headlessWidth  = "1366"
	headlessHeight = "768"
)

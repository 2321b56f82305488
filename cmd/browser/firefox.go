package browser

import (
	"crypto/x509"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// preference is a setting of Firefox with its value, as its file of settings has them.
type preference struct{ name, value string }

// wayOut are the preferences that send all through the proxy at host:port.
func wayOut(host, port string) []preference {
	quoted := strconv.Quote(host)
	return []preference{
		{"network.proxy.type", "1"}, // as it is set here
		{"network.proxy.http", quoted},
		{"network.proxy.http_port", port},
		{"network.proxy.ssl", quoted},
		{"network.proxy.ssl_port", port},
		{"network.proxy.no_proxies_on", `""`},
		{"network.proxy.allow_hijacking_localhost", "true"}, // loopback goes through it too
		{"network.proxy.allow_bypass", "false"},
		{"network.proxy.failover_direct", "false"},
		{"network.http.http3.enable", "false"}, // which goes past a proxy
		{"network.trr.mode", "5"},              // names are the proxy's to look up
		{"dom.security.https_first", "false"},  // would ask for https:// where http:// was meant
		{"dom.security.https_first_schemeless", "false"},
	}
}

// quietPreferences keep Firefox from asking its maker's hosts, and from asking its user about what
// concerns a profile that is kept.
var quietPreferences = []preference{
	// update
	{"app.update.auto", "false"},
	{"app.update.background.enabled", "false"},
	{"app.update.interval", "2000000000"},
	{"app.update.service.enabled", "false"},
	{"browser.search.update", "false"},
	{"extensions.getAddons.cache.enabled", "false"},
	{"extensions.systemAddon.update.enabled", "false"},
	{"extensions.update.enabled", "false"},
	{"media.gmp-manager.updateEnabled", "false"},
	{"media.gmp-provider.enabled", "false"}, // decoders that are downloaded
	// what is remotely set
	{"app.normandy.api_url", `""`},
	{"app.normandy.enabled", "false"},
	{"app.shield.optoutstudies.enabled", "false"},
	{"extensions.blocklist.enabled", "false"},
	{"nimbus.rollouts.enabled", "false"},
	{"security.remote_settings.crlite_filters.enabled", "false"},
	{"security.remote_settings.intermediates.enabled", "false"},
	{"services.settings.server", `"data:,"`},
	// telemetry
	{"browser.search.serpEventTelemetryCategorization.enabled", "false"},
	{"datareporting.healthreport.uploadEnabled", "false"},
	{"datareporting.policy.dataSubmissionEnabled", "false"},
	{"datareporting.usage.uploadEnabled", "false"},
	{"toolkit.telemetry.enabled", "false"},
	{"toolkit.telemetry.reportingpolicy.firstRun", "false"},
	{"toolkit.telemetry.server", `""`},
	{"toolkit.telemetry.unified", "false"},
	// lists of bad sites
	{"browser.safebrowsing.blockedURIs.enabled", "false"},
	{"browser.safebrowsing.downloads.enabled", "false"},
	{"browser.safebrowsing.downloads.remote.enabled", "false"},
	{"browser.safebrowsing.malware.enabled", "false"},
	{"browser.safebrowsing.phishing.enabled", "false"},
	{"browser.safebrowsing.provider.google4.updateURL", `""`},
	{"browser.safebrowsing.provider.google5.enabled", "false"},
	{"browser.safebrowsing.provider.google5.updateURL", `""`},
	{"browser.safebrowsing.provider.mozilla.updateURL", `""`},
	{"browser.safebrowsing.update.enabled", "false"},
	// whether there is a network, and where
	{"browser.region.network.url", `""`},
	{"browser.region.update.enabled", "false"},
	{"geo.provider.network.url", `""`},
	{"network.captive-portal-service.enabled", "false"},
	{"network.connectivity-service.enabled", "false"},
	// what its own pages show
	{"browser.aboutwelcome.enabled", "false"},
	{"browser.discovery.enabled", "false"},
	{"browser.newtabpage.activity-stream.feeds.topsites", "false"},
	{"browser.newtabpage.activity-stream.feeds.section.topstories", "false"},
	{"browser.newtabpage.activity-stream.newtabWallpapers.enabled", "false"},
	{"browser.newtabpage.activity-stream.showSponsored", "false"},
	{"browser.newtabpage.activity-stream.showSponsoredTopSites", "false"},
	{"browser.newtabpage.activity-stream.showWeather", "false"},
	{"browser.newtabpage.activity-stream.unifiedAds.adsFeed.enabled", "false"},
	{"browser.newtabpage.activity-stream.unifiedAds.spocs.enabled", "false"},
	{"browser.newtabpage.activity-stream.unifiedAds.tiles.enabled", "false"},
	{"browser.newtabpage.enabled", "false"},
	{"browser.startup.homepage", `"about:blank"`},
	{"browser.startup.page", "0"},
	{"browser.topsites.contile.enabled", "false"},
	{"browser.uitour.enabled", "false"},
	{"browser.urlbar.quicksuggest.enabled", "false"},
	{"browser.urlbar.suggest.searches", "false"},
	{"startup.homepage_welcome_url", `"about:blank"`},
	// accounts, push messages, translations, models
	{"browser.ml.enable", "false"},
	{"browser.translations.enable", "false"},
	{"dom.push.connection.enabled", "false"},
	{"identity.fxaccounts.enabled", "false"},
	{"signon.management.page.breach-alerts.enabled", "false"},
	{"signon.rememberSignons", "false"},
	// what a profile that is thrown away need not be asked
	{"browser.aboutConfig.showWarning", "false"},
	{"browser.sessionstore.resume_from_crash", "false"},
	{"browser.shell.checkDefaultBrowser", "false"},
	{"browser.tabs.warnOnClose", "false"},
	{"browser.warnOnQuit", "false"},
	{"datareporting.policy.dataSubmissionPolicyBypassNotification", "true"},
	{"termsofuse.bypassNotification", "true"},
	{"trailhead.firstrun.didSeeAboutWelcome", "true"},
}

// firefox is the command that starts a Firefox. What it has to know is in the profile: settings, and
// a database with the certificate that it trusts. Policies would say the same, but are of the
// installation and so of everybody's Firefox.
func firefox(p Program, o Options, ca *x509.Certificate, profile string) (*exec.Cmd, error) {
	host, port, err := net.SplitHostPort(o.Proxy)
	if err != nil {
		return nil, err
	}
	var settings strings.Builder
	preferences := append(wayOut(host, port), quietPreferences...)
	if folder := downloads(o.Headless, profile); folder != "" {
		preferences = append(preferences, preference{"browser.download.folderList", "2"},
			preference{"browser.download.dir", strconv.Quote(folder)})
	}
	for _, one := range preferences {
		fmt.Fprintf(&settings, "user_pref(%q, %s);\n", one.name, one.value)
	}
	trusted, err := trustDatabase(ca)
	if err != nil {
		return nil, err
	}
	for name, content := range map[string][]byte{
		"user.js":  []byte(settings.String()),
		"cert9.db": trusted,
	} {
		if err := os.WriteFile(filepath.Join(profile, name), content, 0o600); err != nil {
			return nil, err
		}
	}
	arguments := []string{"--no-remote", "--new-instance", "--wait-for-browser", "--profile", profile}
	if o.Headless {
		arguments = append(arguments, "--headless")
	}
	cmd := exec.Command(p.Path, append(arguments, o.URL)...)
	cmd.Env = append(inherited(),
		"MOZ_CRASHREPORTER_DISABLE=1",
		"MOZ_REMOTE_SETTINGS_DEVTOOLS=1", // lets services.settings.server count
		"MOZ_HEADLESS_WIDTH="+headlessWidth, "MOZ_HEADLESS_HEIGHT="+headlessHeight)
	return cmd, nil
}

// downloads is a folder for what is downloaded, or "" for the user's own. If nobody looks for it, it
// goes with the profile. Where the user has no folder for it, Firefox would make ~/Downloads at its
// start: then it goes to the home itself.
func downloads(headless bool, profile string) string {
	if headless {
		return filepath.Join(profile, "downloads")
	}
	home, err := os.UserHomeDir()
	if err != nil || runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		return ""
	}
	theirs := []string{filepath.Join(home, "Downloads")}
	if config, err := os.UserConfigDir(); err == nil {
		theirs = append(theirs, filepath.Join(config, "user-dirs.dirs"))
	}
	for _, path := range theirs {
		if _, err := os.Stat(path); err == nil {
			return ""
		}
	}
	return home
}

package stores

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Account is where an account keeps its files.
type Account struct {
	Home   string
	Data   string // XDG_DATA_HOME
	Config string // XDG_CONFIG_HOME
}

// ThisAccount is that of the process.
func ThisAccount() (Account, error) {
	home, err := os.UserHomeDir()
	return Account{
		Home:   home,
		Data:   cmp.Or(os.Getenv("XDG_DATA_HOME"), filepath.Join(home, ".local/share")),
		Config: cmp.Or(os.Getenv("XDG_CONFIG_HOME"), filepath.Join(home, ".config")),
	}, err
}

// databases returns those of the browsers that the account has used, and the one that Chromium
// would make.
func databases(account Account) []Database {
	all := slices.Concat(chromiums(account), firefoxes(account))
	seen := map[string]bool{}
	return slices.DeleteFunc(all, func(d Database) bool {
		before := seen[d.Dir]
		seen[d.Dir] = true
		return before
	})
}

const allChromiums = "Chromium, Chrome, Edge, Brave"

// chromiums returns the databases of Chromium and its kin. Chromium 146 and later look into the
// directory for data, and older ones into .pki, as do the later ones where it is. Where neither is,
// the older one serves both; beside the newer one it would hide that.
func chromiums(account Account) (found []Database) {
	older := Database{allChromiums, filepath.Join(account.Home, ".pki/nssdb")}
	newer := Database{allChromiums, filepath.Join(account.Data, "pki/nssdb")}
	if older.exists() || !newer.exists() {
		found = append(found, older)
	}
	if newer.exists() {
		found = append(found, newer)
	}
	for _, pattern := range []string{
		"snap/*/current/.pki/nssdb", "snap/*/current/.local/share/pki/nssdb",
		".var/app/*/.pki/nssdb", ".var/app/*/data/pki/nssdb",
	} {
		for _, dir := range glob(account.Home, pattern+"/cert9.db") {
			dir = filepath.Dir(dir)
			found = append(found, Database{packaged(account.Home, dir), dir})
		}
	}
	return found
}

// packaged names what a snap or a flatpak is called, in whose directory dir is.
func packaged(home, dir string) string {
	below, _ := filepath.Rel(home, dir)
	parts := strings.Split(filepath.ToSlash(below), "/")
	if parts[0] == "snap" {
		return "the snap " + parts[1]
	}
	return "the flatpak " + parts[2]
}

// firefoxes returns the databases of the profiles of Firefox and its kin. Firefox 147 and later
// have them in the directory for configuration, where .mozilla is not.
func firefoxes(account Account) (found []Database) {
	for _, place := range []struct{ of, above, pattern string }{
		{"Firefox", account.Home, ".mozilla/firefox"},
		{"Firefox", account.Config, "mozilla/firefox"},
		{"LibreWolf", account.Home, ".librewolf"},
		{"LibreWolf", account.Config, "librewolf/librewolf"},
		{"Firefox, a snap", account.Home, "snap/*/common/.mozilla/firefox"},
		{"Firefox, a snap", account.Home, "snap/*/common/.config/mozilla/firefox"},
		{"Firefox, a flatpak", account.Home, ".var/app/*/.mozilla/firefox"},
		{"Firefox, a flatpak", account.Home, ".var/app/*/config/mozilla/firefox"},
		{"LibreWolf, a flatpak", account.Home, ".var/app/*/.librewolf"},
	} {
		for _, dir := range glob(place.above, place.pattern) {
			for _, profile := range profiles(dir) {
				name := place.of + ", profile " + filepath.Base(profile)
				found = append(found, Database{name, profile})
			}
		}
	}
	return found
}

// profiles returns the profiles in a directory of Firefox's: those that profiles.ini names, which
// may lie elsewhere and may never have been used, and those that have a database.
func profiles(dir string) (found []string) {
	if list, err := os.ReadFile(filepath.Join(dir, "profiles.ini")); err == nil {
		for _, profile := range parseProfiles(string(list)) {
			if !filepath.IsAbs(profile) {
				profile = filepath.Join(dir, profile)
			}
			if info, err := os.Stat(profile); err == nil && info.IsDir() {
				found = append(found, profile)
			}
		}
	}
	for _, database := range glob(dir, "*/cert9.db") {
		found = append(found, filepath.Dir(database))
	}
	return found
}

// parseProfiles returns the paths in a profiles.ini.
func parseProfiles(list string) (paths []string) {
	for line := range strings.Lines(list) {
		if path, is := strings.CutPrefix(strings.TrimSpace(line), "Path="); is && path != "" {
			paths = append(paths, filepath.FromSlash(path))
		}
	}
	return paths
}

// glob returns what matches a pattern below a directory, whose own name may have any characters.
func glob(above, pattern string) (found []string) {
	matches, _ := fs.Glob(os.DirFS(above), pattern) // its only error is a bad pattern
	for _, match := range matches {
		found = append(found, filepath.Join(above, filepath.FromSlash(match)))
	}
	return found
}

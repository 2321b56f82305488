package stores

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// homeWith is an account with these databases (directories with a cert9.db in them) in its home,
// whose name has what patterns are made of.
func homeWith(t *testing.T, dirs ...string) Account {
	t.Helper()
	home := filepath.Join(t.TempDir(), "a[n]n*a")
	for _, dir := range append(dirs, ".") {
		dir = filepath.Join(home, dir)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "cert9.db"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return Account{home, filepath.Join(home, ".local/share"), filepath.Join(home, ".config")}
}

func TestDatabases(t *testing.T) {
	for _, c := range []struct {
		name  string
		there []string
		want  []string
	}{
		{"a fresh account", nil, []string{".pki/nssdb"}},
		{"an older Chromium", []string{".pki/nssdb"}, []string{".pki/nssdb"}},
		{"a newer Chromium", []string{".local/share/pki/nssdb"}, []string{".local/share/pki/nssdb"}},
		{"both", []string{".pki/nssdb", ".local/share/pki/nssdb"},
			[]string{".pki/nssdb", ".local/share/pki/nssdb"}},
		{"snaps", []string{"snap/chromium/current/.pki/nssdb", "snap/firefox/common/.mozilla/firefox/p"},
			[]string{".pki/nssdb", "snap/chromium/current/.pki/nssdb",
				"snap/firefox/common/.mozilla/firefox/p"}},
		{"flatpaks", []string{".var/app/com.brave.Browser/.pki/nssdb",
			".var/app/org.chromium.Chromium/data/pki/nssdb",
			".var/app/org.mozilla.firefox/.mozilla/firefox/p",
			".var/app/org.mozilla.firefox/config/mozilla/firefox/q"},
			[]string{".pki/nssdb", ".var/app/com.brave.Browser/.pki/nssdb",
				".var/app/org.chromium.Chromium/data/pki/nssdb",
				".var/app/org.mozilla.firefox/.mozilla/firefox/p",
				".var/app/org.mozilla.firefox/config/mozilla/firefox/q"}},
		{"Firefox", []string{".mozilla/firefox/a.default", ".config/mozilla/firefox/b", ".librewolf/c"},
			[]string{".pki/nssdb", ".mozilla/firefox/a.default", ".config/mozilla/firefox/b",
				".librewolf/c"}},
		{"others", []string{".thunderbird/x", ".mozilla/firefox/a/b"}, []string{".pki/nssdb"}},
	} {
		account := homeWith(t, c.there...)
		var got []string
		for _, database := range databases(account) {
			dir, err := filepath.Rel(account.Home, database.Dir)
			if err != nil || database.Of == "" {
				t.Error(database, err)
			}
			got = append(got, filepath.ToSlash(dir))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestProfiles: a profile is found where profiles.ini says, also if nobody has used it yet, and
// once.
func TestProfiles(t *testing.T) {
	account := homeWith(t, ".mozilla/firefox/used.default")
	elsewhere := t.TempDir()
	dir := filepath.Join(account.Home, ".mozilla/firefox")
	if err := os.Mkdir(filepath.Join(dir, "fresh.default"), 0o700); err != nil {
		t.Fatal(err)
	}
	list := "[Profile0]\r\nName=a\r\nIsRelative=1\r\nPath=used.default\r\n\r\n[Profile1]\n" +
		"Path=fresh.default\n[Profile2]\nIsRelative=0\nPath=" + elsewhere + "\n[Profile3]\nPath=gone\n" +
		"[General]\nPath=\nVersion=2"
	if err := os.WriteFile(filepath.Join(dir, "profiles.ini"), []byte(list), 0o600); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, database := range databases(account)[1:] {
		got = append(got, database.Dir)
	}
	want := []string{filepath.Join(dir, "used.default"), filepath.Join(dir, "fresh.default"),
		elsewhere}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestThisAccount: the directories are those that browsers take.
func TestThisAccount(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	t.Setenv("XDG_DATA_HOME", "")
	t.Setenv("XDG_CONFIG_HOME", "/elsewhere")
	want := Account{home, filepath.Join(home, ".local/share"), "/elsewhere"}
	if got, err := ThisAccount(); err != nil || got != want {
		t.Errorf("%+v, %v", got, err)
	}
}

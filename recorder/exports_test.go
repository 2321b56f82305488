package recorder

import (
	"path/filepath"
	"strings"
	"testing"

	"warcorder/canon"
	"warcorder/store"
)

// allKeys has every kind of secondary key made.
var allKeys = Config{
	Keys: store.KeysConfig{
		Extra:    []string{"path", "wwwoffle", "form"},
		Profiles: store.ProfileRules{{Name: "mediawiki", Host: "example.com"}},
	},
}

// allQueries export every dialect by every key.
func allQueries() (all []store.Query) {
	for _, dialect := range []canon.Dialect{canon.Pywb, canon.Spec, canon.WarcioJS} {
		for _, key := range []store.Key{store.URLKey, store.PathKey, store.WWWOFFLEKey, store.FormKey} {
			all = append(all, store.Query{Dialect: dialect, Key: key})
		}
	}
	return all
}

// exports are the results of allQueries.
func exports(t *testing.T, dir string) (all []string) {
	t.Helper()
	for _, query := range allQueries() {
		all = append(all, exportOf(t, dir, query))
	}
	return all
}

// export is the CDXJ of a collection, with a line for each capture.
func export(t *testing.T, dir string) string {
	t.Helper()
	return exportOf(t, dir, store.Query{})
}

// exportOf is what a query selects of a collection, with a line for each capture.
func exportOf(t *testing.T, dir string, query store.Query) string {
	t.Helper()
	query.All = true
	index, err := store.OpenReadOnly(filepath.Join(dir, "index.bolt"))
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	var lines strings.Builder
	if _, err := index.Export(&lines, query, nil); err != nil {
		t.Fatal(err)
	}
	return lines.String()
}

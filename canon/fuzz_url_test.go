package canon

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func FuzzPath(f *testing.F) {
	var file struct{ Vectors []struct{ Input bytesOrText } }
	readFile(f, "ref_paths.json", &file)
	for _, v := range file.Vectors {
		f.Add(string(v.Input))
	}
	profiles := rules(f)
	f.Fuzz(func(t *testing.T, path string) {
		checkProfiles(t, path)
		hosts := []string{"http://en.wikipedia.org/", "http://en.wikipedia.org/api/rest_v1/", ""}
		for _, host := range hosts {
			url := profiles.URL(host + path)
			if !strings.HasPrefix(url, host) {
				t.Errorf("%q becomes %q", host+path, url)
			}
		}
	})
}

func FuzzWWWOFFLE(f *testing.F) {
	for _, name := range []string{"ref_wwwoffle.json", "wwwoffle_readme_url.json"} {
		var file wwwoffleVectors
		readFile(f, name, &file)
		for _, v := range file.Vectors {
			f.Add(string(v.URL))
		}
	}
	f.Fuzz(func(t *testing.T, url string) {
		canonical, userinfo := WWWOFFLE(url)
		if !isPrintable(canonical) || !isPrintable(userinfo) || len(userinfo) < len(canonical) {
			t.Errorf("WWWOFFLE(%q) = %q, %q", url, canonical, userinfo)
		}
		// What has been written once is not written otherwise, but for entities in
		// entities and for what a user name may hide.
		if again, _ := WWWOFFLE(canonical); again != canonical &&
			!strings.Contains(strings.ToLower(canonical), "&amp;") && !strings.Contains(url, "@") {
			t.Errorf("%q becomes %q and then %q", url, canonical, again)
		}
	})
}

func FuzzForm(f *testing.F) {
	var file struct {
		Malformed []string
		DataSets  []struct{ Equal, Different []string }
		Vectors   []struct{ Input json.RawMessage }
	}
	readFile(f, "draft_hoehrmann_urlencoded.json", &file)
	for _, set := range file.DataSets {
		for _, text := range append(set.Equal, set.Different...) {
			f.Add(text)
		}
	}
	for _, text := range file.Malformed {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		pairs, ok := decodeForm(text)
		if !ok {
			if utf8.ValidString(text) && !strings.Contains(text, "%") {
				t.Errorf("%q is malformed", text)
			}
			return
		}
		checkPairs(t, pairs)
		if key := FormKey(text); key != encodeForm(pairs) {
			t.Errorf("FormKey(%q) = %q", text, key)
		}
	})
}

func FuzzWarcioJSKey(f *testing.F) {
	for _, url := range allURLs(f) {
		f.Add(url)
	}
	f.Fuzz(func(t *testing.T, url string) {
		key, ok := WarcioJS.Key(url)
		if !ok {
			if !strings.HasSuffix(url, key) && !strings.HasPrefix(url, "http://www") &&
				!strings.HasPrefix(url, "https://www") {
				t.Errorf("Key(%q) = %q, not the URL", url, key)
			}
			return
		}
		if !isPrintable(key) {
			t.Errorf("Key(%q) = %q", url, key)
		}
		if again, _ := WarcioJS.Key(url + "#f"); again != key && !strings.Contains(url, "#") &&
			strings.TrimRight(url, "\t\r\n ") == url && url[len(url)-1] > ' ' {
			t.Errorf("Key(%q) = %q, with a fragment %q", url, key, again)
		}
		text, _ := decodeURI(url)
		if utf8.ValidString(url) && !utf8.ValidString(text) {
			t.Errorf("decodeURI(%q) = %q", url, text)
		}
	})
}

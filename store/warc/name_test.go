package warc

import (
	"strings"
	"testing"
	"time"
)

func TestName(t *testing.T) {
	created := time.Date(2026, 11, 21, 6, 45, 12, 123_999_999, time.FixedZone("", 3600))
	for _, test := range []struct {
		name, prefix, host string
		serial             int
		want               string
	}{
		{"plain", "warcorder", "example", 0, "warcorder-20261121054512123-00000-example.warc.gz"},
		{"large serial", "w", "h", 1234567, "w-20261121054512123-1234567-h.warc.gz"},
		{"a domain name", "my-crawl", "Host-1.example.com", 7,
			"my-crawl-20261121054512123-00007-Host-1.example.com.warc.gz"},
		{"what a file name should not hold", "a/b c", "hö\x00st", 1,
			"a_b_c-20261121054512123-00001-h___st.warc.gz"},
		{"up and hidden", "../x", ".h", 1, "_._x-20261121054512123-00001-_h.warc.gz"},
		{"no host", "w", "", 1, "w-20261121054512123-00001-_.warc.gz"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := Name(DefaultPattern, test.prefix, created, test.serial, test.host); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
	if long := Name(DefaultPattern, strings.Repeat("p", 300), created, 1, strings.Repeat("h", 300)) +
		OpenSuffix + ".torn"; len(
		long,
	) > 255 {
		t.Errorf("a name of %d bytes", len(long))
	}
}

func TestCheckPrefix(t *testing.T) {
	for prefix, good := range map[string]bool{
		"warcorder": true, "x": true, "ii": true, "my-iipc": true,
		"": false, "iipc": false, "iipc-x": false, "IIPCrawl": false, strings.Repeat("p", 101): false,
	} {
		if err := CheckPrefix(prefix); (err == nil) != good {
			t.Errorf("CheckPrefix(%q) = %v", prefix, err)
		}
	}
}

func TestPattern(t *testing.T) {
	created := time.Date(2026, 11, 21, 6, 45, 12, 123_999_999, time.UTC)
	for pattern, want := range map[string]string{
		DefaultPattern:                                   "p-20261121064512123-00007-h",
		"{timestamp}{serial}":                            "2026112106451212300007",
		"a.{serial}_{host}-{timestamp}-{prefix}":         "a.00007_h-20261121064512123-p",
		"":                                               "",
		"{prefix}-{timestamp}":                           "",
		"{prefix}-{serial}":                              "",
		"{timestamp}-{serial}-{serial}":                  "",
		"{timestamp}-{serial}-{pid}":                     "",
		"{timestamp}-{serial}-{":                         "",
		"{timestamp}/{serial}":                           "",
		"{timestamp} {serial}":                           "",
		"{timestamp}-{serial}-\xe4":                      "",
		".{timestamp}-{serial}":                          "",
		"IIPC-{timestamp}-{serial}":                      "",
		"{timestamp}-{serial}" + strings.Repeat("x", 41): "",
	} {
		err := CheckPattern(pattern)
		if (err == nil) != (want != "") {
			t.Errorf("CheckPattern(%q) = %v", pattern, err)
		}
		if err != nil {
			continue
		}
		if got := Name(pattern, "p", created, 7, "h"); got != want+Suffix {
			t.Errorf("%s gives %s", pattern, got)
		}
		if long := Name(pattern+strings.Repeat("x", 20), strings.Repeat("p", 300), created, 1,
			strings.Repeat("h", 300)) + OpenSuffix + ".torn.99"; len(
			long,
		) > 255 {
			t.Errorf("a name of %d bytes", len(long))
		}
	}
}

package canon

import "testing"

// TestAppendMethod has what a method alone makes of a URL, and of its key.
func TestAppendMethod(t *testing.T) {
	tests := []struct{ name, url, method, want, key string }{
		{"GET", "http://example.org/a", "GET", "http://example.org/a", "org,example)/a"},
		{"get", "http://example.org/a", "get", "http://example.org/a", "org,example)/a"},
		{"none", "http://example.org/a", "", "http://example.org/a", "org,example)/a"},
		{
			"no query",
			"http://example.org/",
			"POST",
			"http://example.org/?__wb_method=POST",
			"org,example)/?__wb_method=post",
		},
		{
			"lower case",
			"http://example.org/",
			"delete",
			"http://example.org/?__wb_method=DELETE",
			"org,example)/?__wb_method=delete",
		},
		{
			"query",
			"http://example.org/?b=1&a",
			"PUT",
			"http://example.org/?b=1&a&__wb_method=PUT",
			"org,example)/?__wb_method=put&a&b=1",
		},
		{
			"empty query",
			"http://example.org/?",
			"HEAD",
			"http://example.org/?&__wb_method=HEAD",
			"org,example)/?&__wb_method=head",
		},
		{
			"ends in an ampersand",
			"http://example.org/?a&",
			"POST",
			"http://example.org/?a&&__wb_method=POST",
			"org,example)/?&__wb_method=post&a",
		},
		{
			"has one already",
			"http://example.org/?__wb_method=PUT",
			"POST",
			"http://example.org/?__wb_method=PUT&__wb_method=POST",
			"org,example)/?__wb_method=post&__wb_method=put",
		},
		{
			"unknown method",
			"http://example.org/",
			"M-SEARCH",
			"http://example.org/?__wb_method=M-SEARCH",
			"org,example)/?__wb_method=m-search",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			url := Pywb.Append(tt.url, tt.method, "")
			if url != tt.want {
				t.Errorf("Append(%q, %q) = %q, want %q", tt.url, tt.method, url, tt.want)
			}
			if key, ok := SURT(url); !ok || key != tt.key {
				t.Errorf("SURT(%q) = %q, %v, want %q", url, key, ok, tt.key)
			}
		})
	}
}

package recorder

import (
	"strings"
	"testing"

	"warcorder/canon"
	"warcorder/store"
)

// TestRecoveryMakesTheSameKeys, bodies and secondary keys included, from the records alone; also of
// an upload that spilled.
func TestRecoveryMakesTheSameKeys(t *testing.T) {
	dir := t.TempDir()
	cfg := Config{Keys: store.KeysConfig{Extra: []string{"path", "wwwoffle", "form"}}}
	c := open(t, dir, cfg)
	answer := page(200, "text/html", "", "answer")
	large := `{"a":"` + strings.Repeat("x", 3<<20) + `"}`
	for _, request := range []string{
		postOf("POST", "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n",
			"7\r\n{\"a\":1}\r\n0\r\n\r\n"),
		postOf("POST", "Content-Type: application/json\r\n", large),
		postOf("POST", "Content-Type: multipart/form-data; boundary=b\r\n",
			"--b\r\nContent-Disposition: form-data; name=f; filename=f\r\n\r\n"+randomBytes(2<<20)+
				"\r\n--b--\r\n"),
		postOf("PATCH", "", randomBytes(canon.MaxBody+1)),
		postOf("GET", "", ""),
		postOf("OPTIONS", "", ""),
	} {
		c.commit("http://example.com/form?q=1", request, answer)
	}
	c.close()
	queries := []store.Query{
		{}, {Dialect: canon.Spec}, {Dialect: canon.WarcioJS}, {Key: store.PathKey},
		{Key: store.WWWOFFLEKey}, {Key: store.FormKey}, {Key: store.QueryKey},
	}
	var before []string
	for _, query := range queries {
		before = append(before, exportOf(t, dir, query))
	}
	reopenWithoutIndex(t, dir, cfg)
	for i, query := range queries {
		if n := strings.Count(before[i], "\n"); n != 6 && query.Key != store.QueryKey || n < 4 {
			t.Errorf("%+v: %d lines", query, n)
		}
		if after := exportOf(t, dir, query); after != before[i] {
			t.Errorf("%+v: recorded\n%.2000s\nrecovered\n%.2000s", query, before[i], after)
		}
	}
}

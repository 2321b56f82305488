package replay

import (
	"strings"
	"testing"
	"time"

	"warcorder/store"
)

const page = "Origin: https://page.test\r\n"

// preflightOf is the preflight of a request by a method, with more fields.
func preflightOf(method, url, fields string) exchange {
	return exchange{method: "OPTIONS", url: url,
		fields: page + "Access-Control-Request-Method: " + method + "\r\n" + fields}
}

// asking is a preflight that was recorded, with its answer.
func asking(preflight exchange, at int, response string) exchange {
	preflight.at, preflight.response = at, response
	return preflight
}

// TestAnyBody: each capture of a URL is looked at once, wherever the method stands in its key.
func TestAnyBody(t *testing.T) {
	const typed = "Content-Type: application/json\r\n"
	x := exchange{method: "POST", url: "https://api.test/?z=1", fields: typed, body: `{"x":1}`}
	before := x
	before.at, before.body = 1, `{"0":1}`
	r := archived(t, Config{}, x, before)
	seen := map[time.Time]int{}
	err := r.anyBody("POST", r.asked(x), func(c *store.Capture) bool {
		seen[c.Time]++
		return true
	})
	if err != nil || len(seen) != 2 || seen[minute(0)] != 1 || seen[minute(1)] != 1 {
		t.Errorf("%v, %v", seen, err)
	}
}

// TestPreflight: a preflight that was not captured is made up where the request itself was.
func TestPreflight(t *testing.T) {
	const api = "https://api.test/"
	forAll, forPage := "HTTP/1.1 200 OK\nAccess-Control-Allow-Origin: *",
		"HTTP/1.1 200 OK\nAccess-Control-Allow-Origin: https://page.test\n"+
			"Access-Control-Allow-Credentials: true"
	r := archived(t, Config{Explain: true},
		exchange{url: api + "get", response: forAll},
		exchange{url: api + "page", response: forPage},
		exchange{url: api + "nobody"},
		exchange{url: api + "other", response: "HTTP/1.1 200 OK\nAccess-Control-Allow-Origin: https://o"},
		exchange{url: api + "moved",
			response: "HTTP/1.1 302 F\nLocation: /get\nAccess-Control-Allow-Origin: *"},
		exchange{method: "PUT", url: api + "put", body: "anything", response: forPage},
		exchange{method: "PUT", url: api + "put?q=1", body: "anything", response: forPage},
		exchange{method: "DELETE", url: api + "deleted", response: forAll},
		exchange{method: "POST", url: api + "json?z=1", fields: "Content-Type: application/json\r\n",
			body: `{"0":1,"a":2}`, response: forAll},
		exchange{method: "PATCH", url: api + "refused"},
		exchange{method: "OPTIONS", url: api + "refused", response: "HTTP/1.1 403 No"},
		exchange{method: "POST", url: api + "fields", response: forAll},
		asking(preflightOf("POST", api+"fields", "Access-Control-Request-Headers: x-a,x-b\r\n"), 1,
			"HTTP/1.1 403 No"),
		asking(preflightOf("POST", api+"fields", "Access-Control-Request-Headers: x-a\r\n"), 2,
			forAll+"\nAccess-Control-Allow-Headers: X-A"),
		exchange{method: "OPTIONS", url: api + "put-only", at: 1, response: "HTTP/1.1 204 Yes\n" +
			"Access-Control-Allow-Origin: *\nAccess-Control-Allow-Methods: PUT, PATCH\n" +
			"Access-Control-Allow-Headers: content-type"},
		exchange{method: "PUT", url: api + "put-only", response: forAll},
		exchange{method: "DELETE", url: api + "put-only", response: forAll})
	for _, c := range []struct {
		name         string
		asked        exchange
		status, want string // fields without Access-Control-, with / between them
	}{
		{"GET", preflightOf("GET", api+"get", "Access-Control-Request-Headers: x-a,X-B\r\n"), "204",
			"Allow-Origin: */Allow-Methods: GET/Allow-Headers: x-a, X-B"},
		{"with credentials", preflightOf("GET", api+"page", ""), "204",
			"Allow-Origin: https:||page.test/Allow-Methods: GET/Allow-Credentials: true"},
		{"a private network", preflightOf("GET", api+"get",
			"Access-Control-Request-Private-Network: true\r\n"), "204",
			"Allow-Origin: */Allow-Methods: GET/Allow-Private-Network: true"},
		{"of any body", preflightOf("PUT", api+"put", ""), "204",
			"Allow-Origin: https:||page.test/Allow-Methods: PUT/Allow-Credentials: true"},
		{"of any body behind a query", preflightOf("POST", api+"json?z=1", ""), "204",
			"Allow-Origin: */Allow-Methods: POST"},
		{"without a body", preflightOf("DELETE", api+"deleted", ""), "204",
			"Allow-Origin: */Allow-Methods: DELETE"},
		{"of a redirect", preflightOf("GET", api+"moved", ""), "204",
			"Allow-Origin: */Allow-Methods: GET"},
		{"names that are none", preflightOf("GET", api+"get",
			"Access-Control-Request-Headers: a,b c,d\re\r\n"), "204",
			"Allow-Origin: */Allow-Methods: GET/Allow-Headers: a"},
		{"another method", preflightOf("PUT", api+"get", ""), "404", ""},
		{"another query", preflightOf("PUT", api+"put?q=2", ""), "404", ""},
		{"allowed to nobody", preflightOf("GET", api+"nobody", ""), "404", ""},
		{"allowed to others", preflightOf("GET", api+"other", ""), "404", ""},
		{"no token", preflightOf("GE T", api+"get", ""), "404", ""},
		{"no preflight", exchange{method: "OPTIONS", url: api + "get"}, "404", ""},
		{"without an origin", exchange{method: "OPTIONS", url: api + "get",
			fields: "Access-Control-Request-Method: GET\r\n"}, "404", ""},
		{"refused at capture", preflightOf("PATCH", api+"refused", ""), "403", ""},
		{"refused as captured", preflightOf("POST", api+"fields",
			"Access-Control-Request-Headers: x-a, x-b\r\n"), "403", ""},
		{"allowed as captured", preflightOf("POST", api+"fields",
			"Access-Control-Request-Headers: x-a\r\n"), "200", "Allow-Origin: */Allow-Headers: X-A"},
		{"neither", preflightOf("POST", api+"fields", "Access-Control-Request-Headers: x-b\r\n"),
			"204", "Allow-Origin: */Allow-Methods: POST/Allow-Headers: x-b"},
		{"as captured", preflightOf("PUT", api+"put-only",
			"Access-Control-Request-Headers: Content-Type\r\n"), "204",
			"Allow-Origin: */Allow-Methods: PUT, PATCH/Allow-Headers: content-type"},
		{"captured for another method", preflightOf("DELETE", api+"put-only", ""), "204",
			"Allow-Origin: */Allow-Methods: DELETE"},
		{"captured for other fields", preflightOf("PUT", api+"put-only",
			"Access-Control-Request-Headers: x-a\r\n"), "204",
			"Allow-Origin: */Allow-Methods: PUT/Allow-Headers: x-a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			answer, body := r.ask(c.asked)
			var got []string
			for line := range strings.SplitSeq(string(answer), "\r\n") {
				if name, ok := strings.CutPrefix(line, "Access-Control-"); ok {
					got = append(got, strings.ReplaceAll(name, "/", "|"))
				}
			}
			if fields := strings.Join(got, "/"); answer.status() != c.status || fields != c.want {
				t.Errorf("%s\n%s, want\n%s", answer.status(), fields, c.want)
			}
			if body != "" {
				t.Errorf("a body: %q", body)
			}
		})
	}
	if made := r.Report().Preflights; made != 11 {
		t.Errorf("%d preflights made up", made)
	}
	answer, _ := r.ask(preflightOf("GET", api+"get", ""))
	if rule := answer.first("X-Warcorder-Rule"); rule != "preflight" {
		t.Errorf("made up by %q", rule)
	}
}

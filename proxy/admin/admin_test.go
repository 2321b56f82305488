package admin

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func serve(t *testing.T, recording bool) *httptest.Server {
	t.Helper()
	a := New(Authority{PEM: []byte("the pem"), DER: []byte("the der")}, func() (any, bool) {
		return map[string]bool{"recording": recording}, recording
	})
	server := httptest.NewServer(a)
	t.Cleanup(server.Close)
	return server
}

func get(t *testing.T, server *httptest.Server, host, path string) (int, string) {
	t.Helper()
	r, err := http.NewRequest("GET", server.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = host
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(body)
}

func TestHostNames(t *testing.T) {
	server := serve(t, true)
	for _, c := range []struct {
		host string
		want int
	}{
		{"127.0.0.1:8080", 200},
		{"localhost", 200},
		{"LOCALHOST:8080", 200},
		{"[::1]:8080", 200},
		{"192.0.2.7", 200},
		{"rebound.example", 421},
		{"rebound.example:8080", 421},
		{"127.0.0.1.example", 421},
		{"localhost.example", 421},
	} {
		t.Run(c.host, func(t *testing.T) {
			if status, _ := get(t, server, c.host, "/ca.pem"); status != c.want {
				t.Errorf("status %d, want %d", status, c.want)
			}
		})
	}
}

func TestPages(t *testing.T) {
	server := serve(t, true)
	for path, want := range map[string]string{
		"/":       "<code>127.0.0.1:8080</code>",
		"/ca.pem": "the pem",
		"/ca.crt": "the der",
		"/status": `"recording": true`,
	} {
		if status, body := get(t, server, "127.0.0.1:8080", path); status != 200 ||
			!strings.Contains(body, want) {
			t.Errorf("%s: %d %q, want 200 and %q", path, status, body, want)
		}
	}
	if status, _ := get(t, server, "127.0.0.1", "/nothing"); status != 404 {
		t.Errorf("an unknown page: %d, want 404", status)
	}
}

// TestBeyondLoopback: what was archived is nobody else's business.
func TestBeyondLoopback(t *testing.T) {
	a := New(Authority{PEM: []byte("the pem")}, func() (any, bool) { return nil, true })
	for path, want := range map[string]int{"/": 200, "/ca.pem": 200, "/status": 403, "/export": 403} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("GET", path, nil)
		r.Host, r.RemoteAddr = "192.0.2.1:8080", "192.0.2.9:1234"
		if a.ServeHTTP(w, r); w.Code != want {
			t.Errorf("%s: %d, want %d", path, w.Code, want)
		}
	}
}

func TestStatusIsRedWhileNotRecording(t *testing.T) {
	if status, body := get(t, serve(t, false), "127.0.0.1", "/status"); status != 503 ||
		!strings.Contains(body, "false") {
		t.Errorf("%d %q, want 503", status, body)
	}
}

func TestFrontPageEscapesHost(t *testing.T) {
	w := httptest.NewRecorder()
	r := httptest.NewRequest("GET", "/", nil)
	r.Host = `"><script>`
	front(w, r)
	if strings.Contains(w.Body.String(), "<script>") {
		t.Error("the Host field reaches the page unescaped")
	}
}

// TestToken: what needs a token is for those who have it, wherever they are, and for nobody if
// there is none.
func TestToken(t *testing.T) {
	for _, c := range []struct {
		name, token, client, host, authorization string
		want                                     int
		says                                     string
	}{
		{"right", "secret", "127.0.0.1:1", "localhost", "Bearer secret", 200, "done"},
		{"scheme in any case, more space", "secret", "127.0.0.1:1", "localhost", "bearer  secret", 200, "done"},
		{"from elsewhere", "secret", "192.0.2.7:1", "192.0.2.1:8080", "Bearer secret", 200, "done"},
		{"missing", "secret", "127.0.0.1:1", "localhost", "", 401, "api-token"},
		{"wrong", "secret", "127.0.0.1:1", "localhost", "Bearer secreT", 401, "api-token"},
		{"begins right", "secret", "127.0.0.1:1", "localhost", "Bearer secret2", 401, "api-token"},
		{"too short", "secret", "127.0.0.1:1", "localhost", "Bearer secre", 401, "api-token"},
		{"empty", "secret", "127.0.0.1:1", "localhost", "Bearer ", 401, "api-token"},
		{"other scheme", "secret", "127.0.0.1:1", "localhost", "Basic secret", 401, "api-token"},
		{"none set", "", "127.0.0.1:1", "localhost", "Bearer secret", 403, "WARCORDER_API_TOKEN"},
		{"none set, empty one sent", "", "127.0.0.1:1", "localhost", "Bearer ", 403, "WARCORDER_API_TOKEN"},
		{"rebound name", "secret", "127.0.0.1:1", "rebound.example", "Bearer secret", 421, "names"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := New(Authority{}, nil)
			a.HandleWithToken("POST /change", c.token,
				http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "done") }))
			r := httptest.NewRequest("POST", "/change", nil)
			r.Host, r.RemoteAddr = c.host, c.client
			if c.authorization != "" {
				r.Header.Set("Authorization", c.authorization)
			}
			w := httptest.NewRecorder()
			a.ServeHTTP(w, r)
			if w.Code != c.want || !strings.Contains(w.Body.String(), c.says) ||
				strings.Contains(w.Body.String(), "secret") {
				t.Errorf("%d %q, want %d with %q", w.Code, w.Body, c.want, c.says)
			}
			if (w.Header().Get("WWW-Authenticate") != "") != (c.want == 401) ||
				w.Header().Get("Access-Control-Allow-Origin") != "" ||
				w.Header().Get("X-Content-Type-Options") == "" && c.want != 421 {
				t.Errorf("%v", w.Header())
			}
		})
	}
}

package cmd

import (
	"io"
	"net/http"
	"net/url"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/crypto/bcrypt"
)

// TestPassword: what it prints of a line of standard input is what proxy-users takes, and is the
// hash of that line; what would let in nobody, or more than was meant, is refused.
func TestPassword(t *testing.T) {
	for _, c := range []struct{ name, in, password, says string }{
		{"anna", "sec:ret\n", "sec:ret", ""},
		{"anna", "secret", "secret", ""},
		{"Jürgen", " grün \r\n", " grün ", ""},
		{"", "secret\n", "secret", ""},
		{"anna", "\n", "", "the password is empty"},
		{"anna", "", "", "the password is empty"},
		{"anna", "secret\nmore\n", "", "more than one line"},
		{"anna", strings.Repeat("x", 73) + "\n", "", "longer than 72 bytes"},
		{"anna", strings.Repeat("x", 1<<20), "", "longer than 72 bytes"},
		{"an:na", "secret\n", "", "no colon"},
	} {
		args := []string{"password"}
		if c.name != "" {
			args = append(args, c.name)
		}
		cmd := command(t.TempDir(), args...)
		cmd.Args = cmd.Args[:len(args)+1] // it takes no --dir
		cmd.Stdin = strings.NewReader(c.in)
		var complaint strings.Builder
		cmd.Stderr = &complaint
		out, err := cmd.Output()
		if c.says != "" {
			if err == nil || !strings.Contains(complaint.String(), c.says) || len(out) > 0 {
				t.Errorf("%q of %q: %v, %q, %q", c.in, c.name, err, complaint.String(), out)
			}
			continue
		}
		name, hash, found := strings.Cut(strings.TrimSuffix(string(out), "\n"), ":")
		if err != nil || !found || c.name != "" && name != c.name || name == "" {
			t.Errorf("%q of %q: %v, %q, %s", c.in, c.name, err, out, complaint.String())
			continue
		}
		if err := bcrypt.CompareHashAndPassword([]byte(hash), []byte(c.password)); err != nil {
			t.Errorf("%q of %q: %v", c.in, c.name, err)
		}
		line, err := parse(t, "--config", writeFile(t, "proxy-users:\n- "+string(out)+"\n- "+someUser+"x\n"))
		if err == nil || strings.Contains(err.Error(), hash) || strings.Contains(err.Error(), someUser[5:]) {
			t.Errorf("a damaged hash: %v, %v", line.Record.Proxy.Users, err)
		}
		line, err = parse(t, "--config", writeFile(t, "proxy-users:\n- "+string(out)))
		if err != nil || line.Record.Proxy.Users.String() != name {
			t.Errorf("%v, %v", line.Record.Proxy.Users, err)
		}
	}
}

// TestUsersAdd: users of two flags are all users, and none is there twice.
func TestUsersAdd(t *testing.T) {
	other := "bert:" + strings.TrimPrefix(someUser, "anna:")
	line, err := parse(t, "--proxy-users", someUser, "--proxy-users", other)
	if err != nil || line.Record.Proxy.Users.String() != "anna,bert" {
		t.Errorf("%v, %v", line.Record.Proxy.Users, err)
	}
	if _, err := parse(t, "--proxy-users", someUser, "--proxy-users", someUser); err == nil ||
		!strings.Contains(err.Error(), "twice") {
		t.Errorf("%v", err)
	}
	t.Setenv("WARCORDER_PROXY_USERS", someUser+","+other)
	line, err = parse(t)
	if err != nil || line.Record.Proxy.Users.String() != "anna,bert" {
		t.Errorf("%v, %v", line.Record.Proxy.Users, err)
	}
}

// TestErrorsShowNoHash: an error in one user shows nothing of the others' hashes, wherever the users
// come from, nor of what somebody has taken for one.
func TestErrorsShowNoHash(t *testing.T) {
	users, hash := someUser+",bert:plain", strings.TrimPrefix(someUser, "anna:")
	fromFile := command(t.TempDir(), "--config", writeFile(t, "proxy-users: '"+users+"'"))
	fromEnvironment := command(t.TempDir())
	fromEnvironment.Env = append(fromEnvironment.Environ(), "WARCORDER_PROXY_USERS="+users)
	for _, cmd := range []*exec.Cmd{command(t.TempDir(), "--proxy-users", users), fromFile,
		fromEnvironment} {
		said, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(said), `user "bert"`) ||
			strings.Contains(string(said), hash) || strings.Contains(string(said), "plain") {
			t.Errorf("%q: %v, %s", cmd.Args, err, said)
		}
	}
}

// TestRecordAsksForPasswords: the program as it is started with proxy-users, from the environment:
// who shows a password is recorded, and is named in the log alone; the pages of its own do not ask.
func TestRecordAsksForPasswords(t *testing.T) {
	t.Setenv("WARCORDER_PROXY_USERS", someUser)
	origin := newSite(t)
	p := startRecording(t)
	target := origin.plain.URL + "/text/2000"
	for _, c := range []struct {
		user *url.Userinfo
		want int
	}{
		{nil, http.StatusProxyAuthRequired},
		{url.UserPassword("anna", "wrong"), http.StatusProxyAuthRequired},
		{url.UserPassword("anna", "secret"), http.StatusOK},
	} {
		through := http.ProxyURL(&url.URL{Scheme: "http", Host: p.address, User: c.user})
		client := http.Client{Transport: &http.Transport{Proxy: through}, Timeout: patience}
		res, err := client.Get(target)
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, res.Body)
		res.Body.Close()
		client.CloseIdleConnections()
		if res.StatusCode != c.want {
			t.Errorf("%v: %s, want %d", c.user, res.Status, c.want)
		}
	}
	if page := p.page("/status"); !strings.Contains(page, `"recording": true`) {
		t.Errorf("%s", page)
	}
	if code := p.stop(); code != 0 {
		t.Errorf("exit status %d", code)
	}
	log := p.stderr.String()
	if strings.Count(log, `"message":"capture"`) != 1 || !strings.Contains(log, `"user":"anna"`) ||
		!strings.Contains(log, "wrong name or password") || strings.Contains(log, "secret") {
		t.Errorf("%s", log)
	}
}

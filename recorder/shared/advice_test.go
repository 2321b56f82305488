package shared

import (
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rs/zerolog"

	"warcorder/proxy/unused"
	"warcorder/recorder/shared/server"
	"warcorder/store"
)

// kept is a log of which a test reads the text.
type kept struct {
	mu   sync.Mutex
	text strings.Builder
}

func (k *kept) Write(p []byte) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.text.Write(p)
}

func (k *kept) String() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.text.String()
}

// secret is the password of servers, or a wrong one.
const secret = "geheim-7261"

// TestAdvice: of a server that refuses, status and log say what to do, once, and never with a password.
func TestAdvice(t *testing.T) {
	t.Parallel()
	const reads = "bob on >" + secret + " ~* +get +mget +select +hello"
	for name, c := range map[string]struct{ settings, user, advice string }{
		"no password": {"--requirepass " + secret, "",
			"it asks for a password: write redis://:PASSWORD@HOST"},
		"another password": {"--requirepass other", ":" + secret + "@", "it takes another password or user"},
		"another user":     {"", "bob:" + secret + "@", "it takes another password or user"},
		"a user who may nothing": {"--user bob on >" + secret + " ~* +ping", "bob:" + secret + "@",
			"its user may not do what is needed"},
		"a user who reads": {"--user " + reads, "bob:" + secret + "@", "its user may not do what is needed"},
		"a replica":        {"--replicaof 127.0.0.1 1", "", "it is a replica: name the master, or Sentinels"},
		"a full one":       {"--maxmemory 1kb", "", "its memory is full: raise its maxmemory, set dedup-ttl"},
		"a cluster's node": {"--cluster-enabled yes", "", "it is a node of a cluster: name a server of its own"},
		"one without AUTH": {"--rename-command AUTH no --rename-command HELLO none", ":" + secret + "@",
			"unknown command 'auth'"},
		"one short of databases": {"--databases 1", "", "it has no such database: leave it out"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			settings := strings.Fields(c.settings)
			if strings.Contains(name, "cluster") {
				settings = append(settings, "--cluster-port", unused.Port(t), "--cluster-config-file",
					filepath.Join(t.TempDir(), "nodes.conf"))
			}
			s, log := server.StartOnPort(t, settings...), new(kept)
			url := "redis://" + c.user + "127.0.0.1:" + s.Port
			if strings.Contains(name, "databases") {
				url += "/3"
			}
			o, err := Open(Config{Address: url, Who: "host/web", Withdrawn: withdrawnIn(t)}, zerolog.New(log))
			if err != nil {
				t.Fatal(err)
			}
			defer o.Close()
			until(t, "it is said: "+c.advice, func() bool {
				return !o.Status().Up && strings.Contains(o.Status().Reason, c.advice) &&
					strings.Contains(log.String(), c.advice)
			})
			status, said := o.Status(), log.String()
			if n := strings.Count(said, "left alone"); n < 1 || n > 2 || strings.Contains(said+status.Reason+
				status.Server, "geheim") || len(status.Reason) > 400 {
				t.Errorf("%+v\n%s", status, said)
			}
		})
	}
}

// TestWithdrawFull: a server whose memory is full takes back what went, though it takes nothing new.
func TestWithdrawFull(t *testing.T) {
	t.Parallel()
	s, w := server.Start(t), withdrawnIn(t)
	o, gone := opened(t, s.URL(), w), originalOf(1)
	o.Publish(gone, 0)
	until(t, "told", func() bool { return o.Status().Published == 1 })
	if said := s.Do("CONFIG", "SET", "maxmemory", "1kb"); said != "OK" {
		t.Fatal(said)
	}
	o.Publish(originalOf(2), 0)
	until(t, "it is full", func() bool { return strings.Contains(o.Status().Reason, "memory is full") })
	if err := w.Add([]Row{{gone.Key, gone.RecordID}}); err != nil {
		t.Fatal(err)
	}
	o.Withdrawn()
	until(t, "taken back", func() bool { return o.Status().Withdrawing == 0 && s.Do("DBSIZE") == "0" })
	if s := o.Status(); s.Dropped != 1 || s.Published != 1 {
		t.Errorf("%+v", s)
	}
}

// TestWithdrawOdd: what somebody has put in the place of an original, of another kind or too short, stays,
// and keeps nothing behind it from being taken back.
func TestWithdrawOdd(t *testing.T) {
	t.Parallel()
	s, w := server.Start(t), withdrawnIn(t)
	o := opened(t, s.URL(), w)
	var rows []Row
	for n := range 4 {
		one := originalOf(n)
		o.Publish(one, 0)
		rows = append(rows, Row{one.Key, one.RecordID})
	}
	until(t, "told", func() bool { return o.Status().Published == 4 })
	for i, put := range []string{"redis.call('DEL', KEYS[1]); redis.call('RPUSH', KEYS[1], 'a')",
		"redis.call('DEL', KEYS[1]); redis.call('HSET', KEYS[1], 'a', 'b')", "redis.call('SET', KEYS[1], 'x')"} {
		a, err := parse(s.URL())
		if err != nil {
			t.Fatal(err)
		}
		client := a.client()
		if err := client.Eval(t.Context(), put+" return 1", []string{keyOf('a', &rows[i].Key)}).Err(); err != nil {
			t.Fatal(err)
		}
		if err := client.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Add(rows); err != nil {
		t.Fatal(err)
	}
	o.Withdrawn()
	until(t, "taken back", func() bool { return o.Status().Withdrawing == 0 })
	if n := originalsIn(s); n != "3" {
		t.Errorf("%s keys are left", n)
	}
	o.Publish(originalOf(0), 0)
	until(t, "it is told again, over what was there", func() bool { return o.Status().Published == 5 })
}

// TestAccess: a user who may do what the documentation says, and nothing else, is enough to tell, to ask and
// to take back.
func TestAccess(t *testing.T) {
	t.Parallel()
	s := server.StartOnPort(t, strings.Fields("--user bob on >"+secret+
		" ~warcorder:1:* +get +mget +set +del +eval")...)
	w := withdrawnIn(t)
	o := opened(t, "redis://bob:"+secret+"@127.0.0.1:"+s.Port, w)
	gone, stays := originalOf(1), originalOf(2)
	o.Publish(gone, 0)
	o.Publish(stays, 0)
	until(t, "told", func() bool { return o.Status().Published == 2 })
	if err := w.Add([]Row{{gone.Key, gone.RecordID}}); err != nil {
		t.Fatal(err)
	}
	o.Withdrawn()
	until(t, "taken back", func() bool { return o.Status().Withdrawing == 0 && originalsIn(s) == "1" })
	found := map[store.OriginalKey]*store.Original{}
	o.Ask([]store.OriginalKey{gone.Key, stays.Key}, found, false)
	if status := o.Status(); found[gone.Key] != nil || found[stays.Key] == nil || !status.Up || status.Reason != "" {
		t.Errorf("%+v, %v", status, found)
	}
}

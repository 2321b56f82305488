package shared

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"github.com/redis/go-redis/v9/maintnotifications"
	"github.com/rs/zerolog"
)

const (
	// connecting is how long a server has to be found, to take a connection and to answer on it. No
	// exchange waits for that.
	connecting = 2 * time.Second

	// inARow is how many times in a row a server fails before it is left alone, at first for firstPause.
	inARow     = 3
	firstPause = time.Second
	longest    = 30 * time.Second
)

// line is a way to the server, for one goroutine that runs it: the server is looked for without
// anybody waiting for it, used while it answers, and left alone when it does not.
type line struct {
	client *redis.Client
	probe  func(context.Context, *redis.Client) error // tries what the line is for
	serve  func() error                               // until something fails; nil is the end
	log    zerolog.Logger
	what   string          // is lost while it is left alone, for the log
	ctx    context.Context // is done when the line is to end
	hidden []string        // passwords, which a server may say again

	up    atomic.Bool
	ready chan struct{} // closed when it was tried once
	once  sync.Once

	failed int           // in a row
	pause  time.Duration // the last one

	mu     sync.Mutex
	reason error // why it is left alone
}

// run runs the line until it is ended.
func (l *line) run() {
	for l.ctx.Err() == nil {
		err := l.try()
		if err == nil {
			l.answers()
			l.up.Store(true)
			l.once.Do(func() { close(l.ready) })
			err = l.serve()
			l.up.Store(false)
		}
		l.once.Do(func() { close(l.ready) })
		if err == nil {
			return
		}
		l.fails(err)
	}
}

// try looks whether the server does what it is asked for.
func (l *line) try() error {
	ctx, cancel := context.WithTimeout(l.ctx, connecting)
	defer cancel()
	return l.probe(ctx, l.client)
}

// answers notes that the server is used again. One more failure, and it is left alone again.
func (l *line) answers() {
	l.failed = min(l.failed, inARow-1)
	if l.setReason(nil) {
		l.log.Info().Msg("dedup-shared: it answers again")
	}
}

// worked notes that a question was answered.
func (l *line) worked() { l.failed, l.pause = 0, 0 }

// fails notes a failure, and waits as long as the server is left alone.
func (l *line) fails(err error) {
	if l.failed++; l.failed < inARow || l.ctx.Err() != nil {
		return
	}
	if l.setReason(err) {
		l.log.Warn().Err(l.reasonOf(err)).Msg("dedup-shared: left alone for a while; " + l.what)
	}
	l.pause = min(max(2*l.pause, firstPause), longest)
	select {
	case <-time.After(l.pause):
	case <-l.ctx.Done():
	}
}

// setReason reports whether the server is left alone now and was not before, or the other way.
func (l *line) setReason(err error) (changed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	changed = (l.reason == nil) != (err == nil)
	l.reason = err
	return changed
}

// why is why the server is left alone; "" if it is not.
func (l *line) why() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.reason == nil {
		return ""
	}
	return l.reasonOf(l.reason).Error()
}

// reasonOf says of an error what to do about it. What a server says is cut, and may hold a password: one
// that does not know AUTH says what stood behind it.
func (l *line) reasonOf(err error) error {
	text := err.Error()
	if said := redis.Error(nil); errors.As(err, &said) { // without what the client was doing
		text = said.Error()
	}
	text, _, _ = strings.Cut(text, ", with args beginning with")
	for _, password := range l.hidden {
		text = strings.ReplaceAll(text, password, "***")
	}
	for _, known := range []struct{ begins, advice string }{
		{"NOAUTH", "it asks for a password: write redis://:PASSWORD@HOST"},
		{"WRONGPASS", "it takes another password or user than dedup-shared has"},
		{"ERR AUTH", "it has no password, and dedup-shared has one, or it takes another"},
		{"ERR invalid password", "it takes another password than dedup-shared has"},
		{"NOPERM", "its user may not do what is needed: allow GET, MGET, SET, DEL and EVAL for warcorder:*"},
		{"MOVED", "it is a node of a cluster: name a server of its own, or Sentinels"},
		{"CROSSSLOT", "it is a node of a cluster: name a server of its own, or Sentinels"},
		{"CLUSTERDOWN", "it is a node of a cluster: name a server of its own, or Sentinels"},
		{"READONLY", "it is a replica: name the master, or Sentinels, which know it"},
		{"OOM", "its memory is full: raise its maxmemory, set dedup-ttl, or let it evict (allkeys-lru)"},
		{"ERR DB index", "it has no such database: leave it out"},
	} {
		if strings.HasPrefix(text, known.begins) {
			return errors.New(known.advice + " (" + cut(text) + ")")
		}
	}
	switch {
	case errors.Is(err, errAnswer):
		return errAnswer
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, redis.ErrPoolTimeout):
		return errors.New("no answer in time")
	}
	return errors.New(cut(text))
}

// cut is what fits into a line of the log.
func cut(text string) string {
	clean := strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f {
			return -1
		}
		return r
	}, text[:min(len(text), 200)])
	return clean
}

// dialer makes guarded connections.
func (a *address) dialer() func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, at string) (net.Conn, error) {
		plain := &net.Dialer{Timeout: connecting, KeepAlive: time.Minute}
		c, err := plain.DialContext(ctx, network, at)
		if over, is := c.(*net.TCPConn); is { // what was given up is not sent any more, when the network is back
			err = errors.Join(err, over.SetLinger(0))
		}
		if err != nil || a.tls == nil {
			return &guard{Conn: c}, err
		}
		settings := a.tls.Clone()
		settings.ServerName, _, _ = net.SplitHostPort(at)
		secret := tls.Client(c, settings)
		if err := secret.HandshakeContext(ctx); err != nil {
			return nil, errors.Join(err, c.Close())
		}
		return &guard{Conn: secret}, nil
	}
}

// client returns a client of one connection, which tries nothing again: a line does that.
func (a *address) client() *redis.Client {
	logging.Disable() // it writes to standard error; what goes wrong with it is in our log
	if a.master != "" {
		return redis.NewFailoverClient(&redis.FailoverOptions{
			MasterName: a.master, SentinelAddrs: a.at, SentinelPassword: a.sentinelPassword,
			Username: a.user, Password: a.password, DB: a.db, Dialer: a.dialer(), Protocol: 2,
			DisableIdentity: true, MaxRetries: -1, PoolSize: 1, ContextTimeoutEnabled: true,
			DialTimeout: connecting, ReadTimeout: connecting, WriteTimeout: connecting,
			PoolTimeout: connecting, DialerRetries: 1,
		})
	}
	return redis.NewClient(&redis.Options{
		Network: a.network, Addr: a.at[0], Username: a.user, Password: a.password, DB: a.db,
		Dialer: a.dialer(), Protocol: 2, DisableIdentity: true, MaxRetries: -1, PoolSize: 1,
		ContextTimeoutEnabled: true, DialTimeout: connecting, ReadTimeout: connecting,
		WriteTimeout: connecting, PoolTimeout: connecting, DialerRetries: 1,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	})
}

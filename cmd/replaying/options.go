package replaying

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"net/url"
	"time"

	"warcorder/proxy/hosts"
	"warcorder/store"
	"warcorder/store/readback"
	"warcorder/store/replay"
	"warcorder/store/replay/inject"
	"warcorder/store/replay/rules"
)

// Options say how a collection is replayed.
type Options struct {
	At       time.Time // zero: the latest
	Explain  bool
	Inject   bool
	Fallback bool   // what is missing is fetched and recorded, by the recorder that is asked
	Rules    string // own rules, as YAML; they are sound
	Front    string // host:port where the clients come in for whom a recorder is asked; "" is nowhere
}

// The parameters by which options are told to a recorder.
const (
	paramAt       = "at"
	paramExplain  = "explain"
	paramInject   = "inject"
	paramFallback = "fallback"
	paramRules    = "rules"
	paramFront    = "front"
	yes           = "yes"
)

// form returns the options as parameters of a request.
func (o *Options) form() url.Values {
	form := url.Values{paramRules: {o.Rules}}
	if o.Front != "" {
		form.Set(paramFront, o.Front)
	}
	if !o.At.IsZero() {
		form.Set(paramAt, o.At.UTC().Format(time.RFC3339Nano))
	}
	for name, is := range map[string]bool{
		paramExplain: o.Explain, paramInject: o.Inject, paramFallback: o.Fallback,
	} {
		if is {
			form.Set(name, yes)
		}
	}
	return form
}

// OptionsOf is the inverse of form.
func OptionsOf(form url.Values) (o Options, err error) {
	o = Options{
		Explain: form.Get(paramExplain) == yes, Inject: form.Get(paramInject) == yes,
		Fallback: form.Get(paramFallback) == yes, Rules: form.Get(paramRules),
		Front: form.Get(paramFront),
	}
	if o.Front != "" {
		if _, err := netip.ParseAddrPort(o.Front); err != nil {
			return o, err
		}
	}
	if at := form.Get(paramAt); at != "" {
		o.At, err = time.Parse(time.RFC3339Nano, at)
	}
	_, err2 := rules.Parse([]byte(o.Rules))
	return o, cmp.Or(err, err2)
}

// Archive is a collection as it answers requests. missed is told of each miss; await is that of a
// replay.Config.
func (o *Options) Archive(index *store.Bolt, files *readback.Files, missed func(replay.Miss),
	await func(context.Context, store.Question)) (*replay.Archive, error) {
	own, err := rules.Parse([]byte(o.Rules))
	if err != nil {
		return nil, fmt.Errorf("replay-rules: %w", err)
	}
	keys, err := store.NewKeyer(store.KeysConfig{Extra: []string{string(store.FormKey)}})
	if err != nil {
		return nil, err
	}
	cfg := replay.Config{
		At: o.At, Explain: o.Explain, Fallback: o.Fallback, Rules: rules.Shipped().With(own),
		Quiet: hosts.Chatter.Has, Missed: missed, Await: await,
	}
	if o.Inject {
		cfg.Inject = &inject.Clock{}
	}
	return replay.New(cfg, index, files, keys), nil
}

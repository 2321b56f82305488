package cmd

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/rs/zerolog"

	"warcorder/cmd/help"
)

// reloaded is what came of a reload, as reloadPath answers.
type reloaded struct {
	Changed []changed `json:"changed"` // what counts from now on
	Restart []changed `json:"restart"` // what counts only after a restart
}

// changed is a setting that is another one than before. No secret is in it.
type changed struct {
	Key  string `json:"key"`
	From string `json:"from"`
	To   string `json:"to"`
	Why  string `json:"why,omitempty"` // it cannot count now
}

// compare finds what has changed from one reading of the settings to the next. What cannot change is
// then as it was.
func (r *reloaded) compare(before, after []*kong.Flag) {
	r.Changed, r.Restart = []changed{}, []changed{}
	why := fixed()
	for _, flag := range after {
		i := slices.IndexFunc(before, func(one *kong.Flag) bool { return one.Name == flag.Name })
		if i < 0 || help.IsOwn(flag) || same(before[i], flag) {
			continue
		}
		one := changed{Key: flag.Name, From: settingText(before[i]), To: settingText(flag)}
		if one.From == one.To {
			one.To += " (with another secret)"
		}
		if one.Why = why[flag.Name]; one.Why == "" {
			r.Changed = append(r.Changed, one)
			continue
		}
		r.Restart = append(r.Restart, one)
		flag.Target.Set(before[i].Target)
	}
}

// has reports whether a setting counts that has changed.
func (r *reloaded) has(key string) bool {
	return slices.ContainsFunc(r.Changed, func(one changed) bool { return one.Key == key })
}

// kept are the settings after a reload, where those that it has left are shown as before: with what has
// set them then.
func (r *reloaded) kept(before, after []shown) []shown {
	for _, left := range r.Restart {
		is := func(one shown) bool { return one.Key == left.Key }
		if was, i := slices.IndexFunc(before, is), slices.IndexFunc(after, is); was >= 0 && i >= 0 {
			after[i] = before[was]
		}
	}
	return after
}

// noteFile notes that a file says something else which one of these settings names, unless one of them
// has changed itself.
func (r *reloaded) noteFile(keys ...string) {
	if !slices.ContainsFunc(keys, r.has) {
		r.Changed = append(r.Changed,
			changed{Key: keys[0], From: "the files as they were", To: "the files as they are now"})
	}
}

// log says what came of it: a line for each setting, and one for all.
func (r *reloaded) log(log zerolog.Logger, by string) {
	for _, one := range r.Changed {
		log.Info().Str("key", one.Key).Str("from", one.From).Str("to", one.To).Msg("setting changed")
	}
	for _, one := range r.Restart {
		log.Warn().Str("key", one.Key).Str("from", one.From).Str("to", one.To).Str("why", one.Why).
			Msg("a setting has changed that counts only after a restart")
	}
	message := "configuration reloaded"
	if len(r.Changed)+len(r.Restart) == 0 {
		message = "configuration reloaded: no setting has changed"
	}
	log.Info().Int("changed", len(r.Changed)).Int("restart", len(r.Restart)).Str("by", by).Msg(message)
}

// settingText is a setting as people read it, with mask in the place of secrets.
func settingText(flag *kong.Flag) string {
	switch value, _ := plainSetting(flag, flag.Target); v := value.(type) {
	case string:
		return v
	case []string:
		return strings.Join(v, ",")
	default:
		text, _ := json.Marshal(v) // of what JSON has
		return string(text)
	}
}

package store

import (
	"strings"
	"testing"
)

func TestKeysConfigRefused(t *testing.T) {
	own := func(decode, encode []string) KeysConfig {
		return KeysConfig{Profiles: ProfileRules{{Name: "x", Host: "a", Decode: decode, Encode: encode}}}
	}
	for name, c := range map[string]struct {
		cfg  KeysConfig
		want string
	}{
		"unknown key":       {KeysConfig{Extra: []string{"surt"}}, "keys-extra"},
		"unknown profile":   {own(nil, nil), `entry 1: profile "x"`},
		"no host":           {KeysConfig{Profiles: ProfileRules{{Name: "generic"}}}, "keys-profiles"},
		"overlap":           {own([]string{"3A"}, []string{"3A"}), "3A"},
		"foreign character": {own([]string{"41"}, nil), "41"},
		"slash in encode":   {own(nil, []string{"2F"}), "2F"},
	} {
		if _, err := NewKeyer(c.cfg); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

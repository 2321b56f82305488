package proxy

import (
	"strings"
	"testing"
	"time"

	"warcorder/recorder"
)

func TestConfigCheck(t *testing.T) {
	good := config()
	if err := good.Check(); err != nil {
		t.Error(err)
	}
	bad := config()
	bad.Timeout.FirstByte = 0
	if err := bad.Check(); err == nil || !strings.Contains(err.Error(), "timeout-first-byte") {
		t.Errorf("%v", err)
	}
}

func TestConnectionsAndBodiesAreChecked(t *testing.T) {
	for _, c := range []struct {
		change func(*Config)
		says   string
	}{
		{func(c *Config) { c.MaxConnections = 0 }, "max-connections is 0"},
		{func(c *Config) { c.MaxConnections = -1 }, "max-connections is -1"},
		{func(c *Config) { c.MaxBodySize = -1 }, "max-body-size is -1"},
		{func(c *Config) { c.MaxHeaderSize = 1 }, "max-header-size is 1:"},
		{func(c *Config) { c.MaxHeaderSize = 8 << 20 }, "from 1KiB to 1088KiB"},
		{func(c *Config) { c.MaxHeaderSize = recorder.MaxHead + 1 }, "max-header-size"},
		{func(c *Config) { c.MaxHeaderMemory = 4<<20 - 1 }, "max-header-memory is 4194303: give at " +
			"least 4194304"},
		{func(c *Config) { c.Timeout.Total = -1 }, "timeout-total"},
		{func(c *Config) { c.Complete.What = "some" }, `complete is "some": give auto, always or never`},
		{func(c *Config) { c.Complete.Max = 0 }, "complete-max is 0"},
		{func(c *Config) { c.Complete.Quiet = -1 }, "complete-quiet is -1"},
		{func(c *Config) { c.Complete.Again = -time.Second }, "complete-again is -1s: give a time, or 0"},
		{func(c *Config) { c.Complete.Within = time.Second }, "complete-within is 1s: give at least " +
			"complete-quiet, 2s"},
		{func(c *Config) { c.Complete.Timeout = 0 }, "complete-timeout is 0"},
		{func(c *Config) { c.Complete.PerHost = 0 }, "complete-per-host is 0"},
		{func(c *Config) { c.Complete.AtOnce = 0 }, "complete-at-once 0"},
		{func(c *Config) { c.Complete.Waiting = 0 }, "complete-waiting 0"},
		{func(c *Config) { c.Complete.Running = -1 }, "complete-running is -1"},
	} {
		cfg := config()
		c.change(&cfg)
		if err := cfg.Check(); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v, want %q", err, c.says)
		}
	}
}

// TestHostLists: a host is found under all its spellings, and what could match none is refused: it
// would be recorded although its operator believes that it is not.
func TestHostLists(t *testing.T) {
	for _, c := range []struct {
		list, host string
		want       bool
	}{
		{"bank.example", "bank.example", true},
		{"Bank.Example", "bank.example", true},
		{"bank.example", "bank.example.", true}, // the dot of the root
		{"bank.example.", "bank.example", true},
		{"bank.example", "a.bank.example", false},
		{"*.bank.example", "a.bank.example", true},
		{"*.bank.example", "a.bank.example.", true},
		{"*.bank.example", "bank.example", false},
		{"*.bank.example", "otherbank.example", false},
		{"bücher.example", "xn--bcher-kva.example", true},
		{"xn--bcher-kva.example", "bücher.example", true},
		{"*.BÜCHER.example", "www.xn--bcher-kva.example", true},
		{"[2001:DB8::1]", "2001:db8:0:0:0:0:0:1", true},
		{"2001:db8:0:0::1", "2001:db8::1", true},
		{"::1", "::1", true},
		{"::1", "::2", false},
		{"under_score.example", "under_score.example", true},
		{" a.example , b.example", "b.example", true},
		{"*", "anything:at all", true},
		{"false", "false", false},
		{"a.example", "", false},
	} {
		list, err := ParseHostList(c.list)
		if err != nil || list.Has(c.host) != c.want {
			t.Errorf("%q holds %q: %v, %v; want %v", c.list, c.host, list.Has(c.host), err, c.want)
		}
		if again, err := ParseHostList(list.String()); err != nil || again.Has(c.host) != c.want {
			t.Errorf("%q read again: %v, %v", list, again, err)
		}
	}
	for _, bad := range []string{"bank.example:8443", "[::1]:443", "https://a.example", "a.example/x",
		"*.", ".", "a,", "a,*", "*.*.example", "a.*", "[a", "user@a", "xn--\u00fc\u200b:"} {
		if list, err := ParseHostList(bad); err == nil {
			t.Errorf("%q is read as %q", bad, list.Hosts)
		}
	}
}

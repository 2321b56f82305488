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

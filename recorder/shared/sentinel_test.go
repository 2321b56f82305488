package shared

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warcorder/proxy/unused"
	"warcorder/recorder/shared/server"
	"warcorder/store"
)

// TestSentinel: Sentinels say where the server is, also when it is another one than before.
func TestSentinel(t *testing.T) {
	t.Parallel()
	master := server.StartOnPort(t)
	replica := server.StartOnPort(t, "--replicaof", "127.0.0.1 "+master.Port)
	port, conf := unused.Port(t), filepath.Join(t.TempDir(), "sentinel.conf")
	err := os.WriteFile(conf, fmt.Appendf(nil, "port %s\nbind 127.0.0.1\ndir %s\n"+
		"sentinel monitor fleet 127.0.0.1 %s 1\nsentinel down-after-milliseconds fleet 500\n"+
		"sentinel failover-timeout fleet 2000\n", port, filepath.Dir(conf), master.Port), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	sentinel := server.Run(t, "+monitor master fleet", "redis-sentinel", conf)
	t.Cleanup(func() { server.Stop(sentinel) })
	known := server.At(t, port)
	until(t, "the replica is known", func() bool {
		return strings.Contains(known.Do("SENTINEL", "replicas", "fleet"), replica.Port) &&
			strings.Contains(replica.Do("INFO", "replication"), "master_link_status:up")
	})

	url := "redis+sentinel://127.0.0.1:" + port + "/fleet"
	first, second := opened(t, url, withdrawnIn(t)), opened(t, url, withdrawnIn(t))
	until(t, "up", func() bool { return first.Status().Up && second.Status().Up })
	first.Publish(originalOf(1), 0)
	until(t, "told", func() bool { return first.Status().Published == 1 && replica.Do("DBSIZE") != "0" })

	master.Stop()
	until(t, "the replica is the master", func() bool {
		said, _ := replica.Try("INFO", "replication") // a failover ends the connections of clients
		return strings.Contains(said, "role:master")
	})
	until(t, "what the former one had is found in it", func() bool {
		found := map[store.OriginalKey]*store.Original{}
		o := originalOf(1)
		second.Ask([]store.OriginalKey{o.Key}, found, false)
		return found[o.Key] != nil && *found[o.Key] == *o
	})
	until(t, "it is told", func() bool {
		first.Publish(originalOf(2), 0) // as often as what was under way is lost
		return replica.Do("DBSIZE") == "2"
	})
}

//go:build faults && unix

package recorder

import (
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"warcorder/recorder/shared/server"
	"warcorder/store"
	"warcorder/store/fault"
)

// TestSharedSynced: an original is told of when its file has been synced and not before; one whose file
// cannot be synced never is, and others store their own.
func TestSharedSynced(t *testing.T) {
	for name, fails := range map[string]bool{"a slow disk": false, "a broken one": true} {
		t.Run(name, func(t *testing.T) {
			s := server.Start(t)
			_, client := database(t, s, 0)
			here, other := sharing(t, s, Config{}), sharing(t, s, Config{})
			reached, goOn := make(chan bool), make(chan bool)
			var once sync.Once
			fault.Set(func(p fault.Point) error {
				if p != fault.WARCSync {
					return nil
				}
				once.Do(func() { close(reached) })
				<-goOn
				if fails {
					return syscall.EIO
				}
				return nil
			})
			defer fault.Set(nil)
			here.commit(outsideURL, exampleRequest, answerOf(200, "", body2K))
			<-reached
			// which comes behind all that was told before
			here.shared.Publish(&store.Original{URL: outsideURL, Time: time.Now(),
				Digest: "sha1:" + strings.Repeat("A", 32)}, 0)
			here.published(1)
			if keys := keysIn(t, client); len(keys) != 1 {
				t.Errorf("before the file is synced there are %q", keys)
			}
			close(goOn)
			if err := here.Close(); (err != nil) != fails {
				t.Errorf("%v", err)
			}
			if n := len(keysIn(t, client)); n != map[bool]int{false: 2, true: 1}[fails] {
				t.Errorf("%d keys", n)
			}
			fault.Set(nil)
			other.settled(outsideURL, exampleRequest, answerOf(200, "", body2K))
			other.close()
			if n := len(revisitsOf(t, other.dir)); n > 0 == fails {
				t.Errorf("%d revisits", n)
			}
		})
	}
}

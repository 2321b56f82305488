package hosts

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// BrowserChatter is the word for the hosts that browsers ask for by themselves: browser-chatter.txt.
const BrowserChatter = "@browser-chatter"

// Chatter are those hosts: nobody who archives pages misses them.
var Chatter = List{Hosts: []string{BrowserChatter}}

//go:embed browser-chatter.txt
var browserChatter string

// words are the words for hosts, each with its list, which is read when it is first asked.
var words = map[string]func() *table{
	BrowserChatter: sync.OnceValue(func() *table { return readTable(browserChatter) }),
}

// table is a long list of hosts, in their one spelling. A look-up takes time in proportion to the
// host's name, however long the list is.
type table struct {
	hosts  map[string]struct{}
	below  map[string]struct{} // all below these
	labels int                 // of the longest of below
}

// readTable reads a list of ours: a host or *.host begins each line that is neither empty nor a
// comment (#), and what follows says what the host is asked for.
func readTable(text string) *table {
	t := &table{hosts: map[string]struct{}{}, below: map[string]struct{}{}}
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) == 0 || strings.HasPrefix(line, "#") {
			continue
		}
		if domain, is := strings.CutPrefix(fields[0], "*."); is {
			t.below[domain] = struct{}{}
			t.labels = max(t.labels, strings.Count(domain, ".")+1)
			continue
		}
		t.hosts[fields[0]] = struct{}{}
	}
	return t
}

// has looks at as many of the host's domains as one of the list may have labels.
func (t *table) has(host string) bool {
	if _, is := t.hosts[host]; is {
		return true
	}
	end := len(host)
	for range t.labels {
		if end = strings.LastIndexByte(host[:end], '.'); end < 0 {
			return false
		}
		if _, is := t.below[host[end+1:]]; is {
			return true
		}
	}
	return false
}

// ParseWords is ParseList for a text that may have words for hosts (@browser-chatter) in it.
func ParseWords(text string) (list List, err error) {
	if !strings.Contains(text, "@") {
		return ParseList(text)
	}
	for one := range strings.SplitSeq(text, ",") {
		host := strings.ToLower(strings.TrimSpace(one))
		switch {
		case words[host] != nil:
		case strings.HasPrefix(host, "@"):
			err = fmt.Errorf("%q is no word for hosts: there is %s", host,
				strings.Join(slices.Sorted(maps.Keys(words)), ", "))
		default:
			host, err = parseHost(one)
		}
		if err != nil {
			return List{}, err
		}
		list.Hosts = append(list.Hosts, host)
	}
	return list, nil
}

// With returns the list with a word, which is one of ours.
func (l List) With(word string) List {
	if words[word] == nil {
		panic(word)
	}
	if !slices.Contains(l.Hosts, word) {
		l.Hosts = append(slices.Clone(l.Hosts), word)
	}
	return l
}

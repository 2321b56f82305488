package cmd

import (
	"net"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"warcorder/cmd/replaying"
	"warcorder/proxy"
	"warcorder/proxy/access"
	"warcorder/proxy/dial"
	"warcorder/proxy/dns"
	"warcorder/proxy/hosts"
	"warcorder/proxy/route"
	"warcorder/recorder"
)

// TestDefaults: who gives no flag has the defaults of the packages.
func TestDefaults(t *testing.T) {
	line, err := parse(t)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := line.Record.Recorder.config(), recorder.Default(); !reflect.DeepEqual(got, want) {
		t.Errorf("the recorder's flags say\n%+v\nits default is\n%+v", got, want)
	}
	if got, want := line.Record.Proxy.config(), proxy.Default(); !reflect.DeepEqual(got, want) {
		t.Errorf("the proxy's flags say\n%+v\nits default is\n%+v", got, want)
	}
	cfg := line.Record.Proxy.config()
	if err := cfg.Check(); err != nil {
		t.Error(err)
	}
}

// TestEveryFlagCounts: no field of a configuration is without a flag, and no flag without a field.
func TestEveryFlagCounts(t *testing.T) {
	t.Run("recorder", func(t *testing.T) {
		var flags recorderFlags
		checkCounts(t, &flags, func() any { return flags.config() })
		flags = recorderFlags{}
		setAll(reflect.ValueOf(&flags).Elem())
		flags.SL = false // else NoSL is not set
		cfg := flags.config()
		cfg.Progress = func(string, int64, int64) {} // which is no setting
		checkSet(t, reflect.ValueOf(cfg), "recorder.Config")
	})
	t.Run("proxy", func(t *testing.T) {
		var flags proxyFlags
		checkCounts(t, &flags, func() any { return flags.config() })
		setAll(reflect.ValueOf(&flags).Elem())
		cfg := flags.config()
		// Which are no settings.
		cfg.Source = new(replaying.Counted)
		cfg.Beside, cfg.Aside = []net.Addr{new(net.TCPAddr)}, []net.Addr{new(net.TCPAddr)}
		checkSet(t, reflect.ValueOf(cfg), "proxy.Config")
	})
}

// checkCounts sets one flag after the other: each must change the configuration.
func checkCounts(t *testing.T, flags any, config func() any) {
	t.Helper()
	for _, field := range leaves(reflect.ValueOf(flags).Elem()) {
		before := config()
		setAll(field)
		if reflect.DeepEqual(config(), before) {
			t.Errorf("a flag of type %v counts for nothing in %+v", field.Type(), before)
		}
		field.SetZero()
	}
}

// leaves returns the fields of a struct, and those of the structs of flags in it.
func leaves(v reflect.Value) (fields []reflect.Value) {
	for i := range v.NumField() {
		field := v.Field(i)
		if field.Kind() == reflect.Struct && field.Type().PkgPath() == v.Type().PkgPath() {
			fields = append(fields, leaves(field)...)
		} else {
			fields = append(fields, field)
		}
	}
	return fields
}

// someUser is in proxy-users, with the password secret.
const someUser = "anna:$2a$04$qsd9YNDrbykqng9imPDPDed027HWwZrByv4tY235g3qwsv55lo0aK"

// opaque are the types of settings that are no plain values, each with one that is not zero.
var opaque = map[reflect.Type]any{
	reflect.TypeFor[hosts.Networks]():     hosts.Words("@private"),
	reflect.TypeFor[access.Users]():       must(access.ParseUsers(someUser)),
	reflect.TypeFor[hosts.Set]():          must(hosts.ParseSet("*")),
	reflect.TypeFor[dns.Servers]():        must(dns.ParseServers("192.0.2.53")),
	reflect.TypeFor[dial.SourceAddress](): must(dial.ParseSourceAddress("192.0.2.1,2001:db8::1")),
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// setAll sets a value, and all fields of a struct, to something that is not zero.
func setAll(v reflect.Value) {
	if value, is := opaque[v.Type()]; is {
		v.Set(reflect.ValueOf(value))
		return
	}
	if list, is := v.Addr().Interface().(*route.Routes); is {
		*list, _ = route.Parse("direct")
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			setAll(v.Field(i))
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Uint32:
		v.SetUint(1)
	default:
		v.SetInt(1)
	}
}

// checkSet reports the fields that are zero, also of structs in structs.
func checkSet(t *testing.T, v reflect.Value, name string) {
	t.Helper()
	for i := range v.NumField() {
		if !v.Type().Field(i).IsExported() {
			continue // which is of its package's tests
		}
		field, path := v.Field(i), name+"."+v.Type().Field(i).Name
		if _, is := opaque[field.Type()]; !is && field.Kind() == reflect.Struct {
			checkSet(t, field, path)
		} else if field.IsZero() {
			t.Errorf("no flag sets %s", path)
		}
	}
}

// TestCollectionFlags: a command that reads or writes a collection takes its name and its place.
func TestCollectionFlags(t *testing.T) {
	var line commandLine
	parser, err := newParser(&line)
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range parser.Model.Children {
		takes := map[string]bool{}
		for _, flag := range command.Flags {
			takes[flag.Name] = true
		}
		alone := slices.Contains([]string{"key", "ca", "trust", "untrust", "password",
			"completion", "man", "version"}, command.Name)
		if takes["collection"] == alone || takes["dir"] == alone {
			t.Errorf("%s takes --collection: %t, --dir: %t", command.Name, takes["collection"], takes["dir"])
		}
	}
}

func TestSizeText(t *testing.T) {
	for size, want := range map[int64]string{
		0: "0", 1: "1", 1000: "1kB", 1024: "1KiB", 1025: "1025", 8e6: "8MB", 64e6: "64MB", 500e6: "500MB",
		1e9: "1GB", 1 << 20: "1MiB", 512 << 20: "512MiB", 1 << 30: "1GiB", 1088 << 10: "1088KiB",
		3 << 40: "3TiB", 1500: "1500",
	} {
		if got := sizeText(size); got != want {
			t.Errorf("%d is %q, want %q", size, got, want)
		}
		line, err := parse(t, "--warc-max-size", want)
		if err != nil || line.Record.Recorder.WARCMaxSize != size {
			t.Errorf("%q is read as %d, %v", want, line.Record.Recorder.WARCMaxSize, err)
		}
	}
}

func TestDurationText(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 50 * time.Millisecond: "50ms", time.Second: "1s", 30 * time.Second: "30s",
		5 * time.Minute: "5m", 90 * time.Second: "1m30s", 24 * time.Hour: "24h",
		time.Hour + time.Minute: "1h1m", time.Hour + time.Second: "1h0m1s",
	} {
		if got := durationText(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
		if read, err := time.ParseDuration(want); err != nil || read != d {
			t.Errorf("%q is read as %v, %v", want, read, err)
		}
	}
}

// parse reads a command line as run does, without running it.
func parse(t *testing.T, args ...string) (*commandLine, error) {
	t.Helper()
	var line commandLine
	parser, err := newParser(&line)
	if err != nil {
		t.Fatal(err)
	}
	_, err = parser.Parse(args)
	return &line, err
}

// TestListenNeedsAHost: an unset variable must not open the proxy to the network.
func TestListenNeedsAHost(t *testing.T) {
	for _, listen := range []string{"", ":8080", "8080"} {
		var c recordFlags
		c.listenOn(listen)
		if err := c.check(); err == nil || !strings.Contains(err.Error(), "--listen") {
			t.Errorf("%q: %v", listen, err)
		}
	}
	t.Setenv("WARCORDER_COLLECTION", "")
	line, err := parse(t, "--config",
		writeFile(t, "listen:\nkeys: {profiles: , extra: }\ncollection: file\n"))
	if err != nil {
		t.Fatal(err)
	}
	if line.Record.Listen != "127.0.0.1:8080" || line.Record.Collection != "file" {
		t.Errorf("listen %q, collection %q", line.Record.Listen, line.Record.Collection)
	}
}

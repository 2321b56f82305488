package cmd

import (
	"encoding"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"warcorder/proxy"
	"warcorder/proxy/access"
	"warcorder/proxy/dial"
	"warcorder/proxy/dns"
	"warcorder/proxy/hosts"
	"warcorder/proxy/http1"
	"warcorder/proxy/route"
	"warcorder/store"
)

// shown is a setting as config show tells of it.
type shown struct {
	Key      string `json:"key"`
	Value    any    `json:"value"` // text, number, true, a list, or a list of objects
	Source   string `json:"source"`
	Variable string `json:"variable,omitempty"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Masked   bool   `json:"masked"`  // mask stands in the place of secrets
	Changed  bool   `json:"changed"` // it is not as by default
}

func (s shown) isOfFile() bool { return s.Source == fromFile }

// The sources of a setting, the first to win last.
const (
	fromDefault  = "default"
	fromFile     = "file"
	fromVariable = "variable"
	fromFlag     = "flag"
)

// mask stands in the place of a secret. What has it is refused where it is read: a setting must not
// be weaker for having been shown.
const mask = "***"

// refuseMask refuses a text that has the mask in it.
func refuseMask(key, text string) error {
	if strings.Contains(text, mask) {
		return fmt.Errorf("%s has %s in it, which config show writes in the place of a secret: write the "+
			"secret itself", key, mask)
	}
	return nil
}

// settingsOf are all settings of a command line that was read, with what the file says.
func settingsOf(ctx *kong.Context, file fileConfig) (all []shown) {
	for _, flag := range settingFlags(ctx) {
		one := shown{Key: flag.Name}
		one.Value, one.Masked = plainSetting(flag, flag.Target)
		usual, _ := plainSetting(flag, defaultOf(flag))
		one.Changed = !reflect.DeepEqual(one.Value, usual)
		one.comesFrom(ctx, file, flag)
		all = append(all, one)
	}
	return all
}

// defaultOf is the value of a flag that nobody sets.
func defaultOf(flag *kong.Flag) reflect.Value {
	value := reflect.New(flag.Target.Type()).Elem()
	if flag.HasDefault {
		scan := kong.ScanAsType(kong.FlagValueToken, flag.Default)
		flag.Mapper.Decode(&kong.DecodeContext{Value: flag.Value, Scan: scan}, value) // ours are good
	}
	return value
}

// comesFrom notes what has set it.
func (s *shown) comesFrom(ctx *kong.Context, file fileConfig, flag *kong.Flag) {
	variable, _ := variableOf(flag)
	step := slices.IndexFunc(ctx.Path, func(step *kong.Path) bool { return step.Flag == flag })
	switch {
	case step >= 0 && !ctx.Path[step].Resolved:
		s.Source = fromFlag
	case step >= 0:
		s.Source, s.File, s.Line = fromFile, file[flag.Name].file, file[flag.Name].line
	case variable != "":
		s.Source, s.Variable = fromVariable, variable
	default:
		s.Source = fromDefault
	}
}

// place says that to a person.
func (s *shown) place() string {
	switch s.Source {
	case fromFile:
		return setting{file: s.File, line: s.Line}.place()
	case fromVariable:
		return s.Variable
	case fromFlag:
		return "--" + s.Key
	}
	return s.Source
}

// print prints the settings, as YAML that record takes again, or as JSON.
func (c *configCommand) print(all []shown) error {
	if c.Changed {
		all = slices.DeleteFunc(all, func(one shown) bool { return !one.Changed })
	}
	if c.JSON {
		return writeSettings(os.Stdout, all)
	}
	text, err := settingsYAML(all)
	if err == nil {
		_, err = os.Stdout.Write(text)
	}
	return err
}

// writeSettings writes settings as JSON.
func writeSettings(w io.Writer, all []shown) error {
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	out.SetEscapeHTML(false)
	return out.Encode(append([]shown{}, all...))
}

// plainSetting is a value as YAML and JSON have it, with mask in the place of secrets.
func plainSetting(flag *kong.Flag, value reflect.Value) (plain any, isMasked bool) {
	if flag.Name == "api-token" && value.String() != "" {
		return mask, true
	}
	if flag.Name == "dedup-shared" {
		shown := maskedURL(value.String())
		return shown, shown != value.String()
	}
	switch v := value.Interface().(type) {
	case access.Users:
		names := listed(v.String())
		for i := range names {
			names[i] += ":" + mask
		}
		return names, len(names) > 0
	case route.Routes:
		rules, isMasked := v.Masked(mask)
		return append([]string{}, rules...), isMasked
	case []string:
		if flag.Name == "dedup-from" {
			return maskedURLs(v)
		}
		if flag.Name == "push" {
			return maskedFeeds(v)
		}
		return append([]string{}, v...), false
	case int64:
		if flag.Tag.Type == "size" {
			return sizeText(v), false
		}
	case hosts.List:
		if v.All && flag.Tag.Type != "hosts" {
			return true, false
		}
	}
	return plainValue(value.Interface()), false
}

// plainValue is plainSetting of what cannot be secret.
func plainValue(value any) any {
	switch v := value.(type) {
	case string, bool, int, int64:
		return v
	case time.Duration:
		return durationText(v)
	case replayRules:
		return mappings(v.json())
	case store.ProfileRules:
		return filled(mappings(json.Marshal(v)))
	case []proxy.ClientCert:
		return filled(mappings(json.Marshal(v)))
	case http1.Codings:
		if v.Any || len(v.Names) == 0 {
			return v.String()
		}
		return v.Names
	case dial.SourceAddress:
		return v.String()
	case hosts.List:
		if v.All {
			return []string{"*"}
		}
		return append([]string{}, v.Hosts...)
	case hosts.Networks, hosts.Set, dns.Servers:
		return listed(v.(fmt.Stringer).String())
	case encoding.TextMarshaler:
		text, _ := v.MarshalText() // ours always can
		return string(text)
	}
	panic(fmt.Sprintf("config show knows no %T", value))
}

// listed takes a list apart.
func listed(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' })
}

// mappings are a list of objects, from JSON.
func mappings(text []byte, err error) []map[string]any {
	all := []map[string]any{}
	if err == nil && len(text) > 0 {
		err = json.Unmarshal(text, &all)
	}
	if err != nil { // it was read from such a text
		panic(fmt.Sprintf("config show: %v", err))
	}
	return append([]map[string]any{}, all...)
}

// filled takes out what objects do not say.
func filled(all []map[string]any) []map[string]any {
	for _, one := range all {
		maps.DeleteFunc(one, func(_ string, value any) bool { return value == nil || value == "" })
	}
	return all
}

// maskedURLs masks what a CDX server may have been given as a password: user and password, and each
// argument that is not for the URL that is asked for.
func maskedURLs(texts []string) (masked []string, isMasked bool) {
	masked = []string{}
	for _, text := range texts {
		other := maskedURL(text)
		masked, isMasked = append(masked, other), isMasked || other != text
	}
	return masked, isMasked
}

func maskedURL(text string) string {
	scheme, rest, isURL := strings.Cut(text, "://")
	if !isURL {
		return text
	}
	path, query, asks := strings.Cut(rest, "?")
	host, _, _ := strings.Cut(path, "/")
	if at := strings.LastIndexByte(host, '@'); at >= 0 {
		path = mask + "@" + host[at+1:] + strings.TrimPrefix(path, host)
	}
	if !asks {
		return scheme + "://" + path
	}
	arguments := strings.Split(query, "&")
	for i, one := range arguments {
		name, value, isNamed := strings.Cut(one, "=")
		switch {
		case !isNamed && one != "" && !strings.Contains(one, "{url}"): // it may be a key
			arguments[i] = mask
		case value != "" && !strings.Contains(value, "{url}"):
			arguments[i] = name + "=" + mask
		}
	}
	return scheme + "://" + path + "?" + strings.Join(arguments, "&")
}

package cmd

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"
	"go.yaml.in/yaml/v3"

	"warcorder/cmd/help"
)

// fileConfig is a configuration file as kong asks for it: the value and place of each key, nested
// keys joined by "-".
type fileConfig map[string]setting

type setting struct {
	value string
	file  string // "" if that is not known
	line  int
	unset bool // null: the key is there, and says nothing
	empty bool // a list of nothing: so does it, unless there is something by default
}

// place is where it stands: "config.yaml: line 7".
func (s setting) place() string {
	place := fmt.Sprintf("line %d", s.line)
	if s.file != "" {
		place = s.file + ": " + place
	}
	return place
}

// The bounds of a configuration file. No key of ours is nested as deep, and no list of 10,000 users as
// long.
const (
	maxConfig = 1 << 20 // bytes
	maxDepth  = 8       // mappings and lists in one another
)

// readConfig reads a YAML file strictly: duplicate keys are errors here, unknown ones in Validate,
// and values that cannot be meant in Resolve. Beside an error is what could be read.
func readConfig(r io.Reader) (fileConfig, error) {
	name := ""
	if file, ok := r.(*os.File); ok {
		name = file.Name()
	}
	config, err := parseConfig(r)
	for key, s := range config {
		s.file = name
		config[key] = s
	}
	return config, placed(err, name)
}

// readConfig reads the file of --config, and keeps what it says.
func (line *commandLine) readConfig(r io.Reader) (kong.Resolver, error) {
	config, err := readConfig(r)
	line.file = config
	return config, err
}

// placed says of each error in which file it is.
func placed(err error, file string) error {
	if err == nil || file == "" {
		return err
	}
	var all []error
	for _, one := range each(err) {
		all = append(all, fmt.Errorf("%s: %w", file, one))
	}
	return errors.Join(all...)
}

// each are the errors that were joined to one; none, of nil.
func each(err error) []error {
	if err == nil {
		return nil
	}
	if joined, is := err.(interface{ Unwrap() []error }); is {
		return joined.Unwrap()
	}
	return []error{err}
}

// parseConfig reads a configuration in linear time: what is too long or too deep is refused before
// anything is made of it, and so are aliases, by which a short text may stand for a long one.
func parseConfig(r io.Reader) (fileConfig, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxConfig+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxConfig {
		return nil, fmt.Errorf("the file is longer than %d bytes: is it a configuration?", maxConfig)
	}
	var doc, more yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	if err := decoder.Decode(&doc); err != nil && err != io.EOF {
		return nil, hinted(err)
	}
	if err := decoder.Decode(&more); err == nil {
		return nil, fmt.Errorf(
			"line %d: a second document begins here, whose settings would count for nothing: join the two",
			more.Line)
	} else if err != io.EOF {
		return nil, err
	}
	config := fileConfig{}
	if len(doc.Content) == 0 {
		return config, nil
	}
	if err := checkNodes(doc.Content[0], 0); err != nil {
		return config, err
	}
	wrong := config.add("", doc.Content[0])
	return config, errors.Join(wrong[:min(len(wrong), mostWrong)]...)
}

// checkNodes refuses what no configuration needs: an alias, and what is nested too deep.
func checkNodes(node *yaml.Node, depth int) error {
	switch {
	case depth > maxDepth:
		return fmt.Errorf("line %d: this is nested deeper than any key is", node.Line)
	case node.Kind == yaml.AliasNode || node.Anchor != "":
		return fmt.Errorf("line %d: a value that begins with & or * is an anchor or an alias to YAML, "+
			"which are not taken here: write the value out, in quotes if it is a pattern (\"*.example.org\")",
			node.Line)
	}
	for _, one := range node.Content {
		if err := checkNodes(one, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// hinted adds to an error of YAML what the values of ours are that come to it: "@private" and
// "*.example.org" begin as YAML's own signs do.
func hinted(err error) error {
	signs := []string{"cannot start any token", "alphabetic or numeric", "unknown anchor"}
	for _, about := range signs {
		if strings.Contains(err.Error(), about) {
			return fmt.Errorf(`%w: a value that begins with @ or * stands in quotes ("@private"), and no `+
				"line begins with a tab", err)
		}
	}
	return err
}

// add takes the keys of a mapping, and says what is wrong with each that it does not take.
func (c fileConfig) add(prefix string, node *yaml.Node) (wrong []error) {
	if node.Kind == yaml.ScalarNode && node.Tag == "!!null" {
		return nil
	}
	if node.Kind != yaml.MappingNode {
		return []error{fmt.Errorf("line %d: expected key: value", node.Line)}
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		name := prefix + key.Value
		if value.Kind == yaml.MappingNode {
			wrong = append(wrong, c.add(name+"-", value)...)
		} else if err := c.set(name, key.Line, value); err != nil {
			wrong = append(wrong, fmt.Errorf("line %d: %s%w", key.Line, shortened(name), err))
		}
	}
	return wrong
}

// set takes one key.
func (c fileConfig) set(name string, line int, value *yaml.Node) error {
	if _, twice := c[name]; twice {
		return errors.New(" is set twice")
	}
	if value.Tag == "!!null" {
		c[name] = setting{line: line, unset: true}
		return nil
	}
	if name == "replay-rules" {
		noteLines(value)
	}
	text, err := scalar(value, slices.Contains(ofMappings, name))
	if err != nil {
		return fmt.Errorf(": %w", err)
	}
	c[name] = setting{value: text, line: line,
		empty: value.Kind == yaml.SequenceNode && len(value.Content) == 0}
	return nil
}

// ofMappings are the keys whose values are lists of mappings.
var ofMappings = []string{"keys-profiles", "client-certs", "replay-rules"}

// noteLines adds to each mapping of a list on which line it stands, so that an error can say so.
func noteLines(list *yaml.Node) {
	for _, one := range list.Content {
		if one.Kind == yaml.MappingNode {
			one.Content = append(one.Content,
				&yaml.Node{Kind: yaml.ScalarNode, Value: "line"},
				&yaml.Node{Kind: yaml.ScalarNode, Value: strconv.Itoa(one.Line)})
		}
	}
}

// scalar returns a value as a flag would have it; a list is joined by commas, one of mappings, where
// it may hold them, is JSON.
func scalar(node *yaml.Node, mappings bool) (string, error) {
	switch node.Kind {
	case yaml.ScalarNode:
		return node.Value, nil
	case yaml.SequenceNode:
		if mappings && len(node.Content) > 0 && node.Content[0].Kind == yaml.MappingNode {
			rules, err := json.Marshal(plain(node))
			return string(rules), err
		}
		parts := make([]string, len(node.Content))
		for i, one := range node.Content {
			if one.Kind != yaml.ScalarNode {
				return "", errors.New(`a list may hold plain values only, and a ": " makes a mapping: ` +
					"leave the blank out, or put the value in quotes")
			}
			parts[i] = one.Value
		}
		return strings.Join(parts, ","), nil
	}
	return "", errors.New("expected a value or a list")
}

// plain returns a node as JSON has it; values are strings, as they stand in the file (a decode set
// of [2F, 21] is no number).
func plain(node *yaml.Node) any {
	switch node.Kind {
	case yaml.MappingNode:
		object := map[string]any{}
		for i := 0; i+1 < len(node.Content); i += 2 {
			object[node.Content[i].Value] = plain(node.Content[i+1])
		}
		return object
	case yaml.SequenceNode:
		list := []any{}
		for _, one := range node.Content {
			list = append(list, plain(one))
		}
		return list
	}
	return node.Value
}

// Validate refuses keys that no flag has, with the line and the key that may be meant.
func (c fileConfig) Validate(app *kong.Application) error {
	return errors.Join(c.unknown(app)...)
}

// mostWrong is how much of one kind is said to be wrong: a file in which more is, is none of ours.
const mostWrong = 20

// unknown are the errors of keys that no flag has.
func (c fileConfig) unknown(app *kong.Application) (wrong []error) {
	known := configKeys(app)
	for _, name := range c.inOrder() {
		if known[name] {
			continue
		}
		if len(wrong) == mostWrong {
			return append(wrong, errors.New("there are more keys that nobody knows"))
		}
		advice := cmp.Or(meant(name, "", slices.Collect(maps.Keys(known))),
			"; config.example.yaml lists all keys")
		wrong = append(wrong, fmt.Errorf("%s: unknown key %q%s", c[name].place(), shortened(name), advice))
	}
	return wrong
}

// inOrder are the keys, in the order of their lines.
func (c fileConfig) inOrder() []string {
	return slices.SortedFunc(maps.Keys(c), func(a, b string) int {
		return cmp.Or(c[a].line-c[b].line, strings.Compare(a, b))
	})
}

// Resolve gives the value of a flag that neither the command line nor the environment has set.
func (c fileConfig) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	s, ok := c[flag.Name]
	if !ok || s.unset || s.empty && flag.Default == "" || help.IsOwn(flag) {
		return nil, nil
	}
	for _, name := range flag.Envs {
		if value, set := os.LookupEnv(name); set && value != "" {
			return nil, nil
		}
	}
	if err := s.check(flag); err != nil {
		return nil, fmt.Errorf("%s: %w", s.place(), err)
	}
	return s.value, nil
}

// check refuses a value that the flag does not take: kong would, without the line.
func (s setting) check(flag *kong.Flag) error {
	if flag.Enum != "" && !slices.Contains(flag.EnumSlice(), s.value) {
		return fmt.Errorf("%q is not one of %s", shortened(s.value),
			strings.Join(flag.EnumSlice(), ", "))
	}
	scan := kong.ScanAsType(kong.FlagValueToken, s.value)
	value := reflect.New(flag.Target.Type()).Elem()
	return flag.Mapper.Decode(&kong.DecodeContext{Value: flag.Value, Scan: scan}, value)
}

// configKeys returns the names that may stand in a configuration file: the flags of record and
// those of all commands.
func configKeys(app *kong.Application) map[string]bool {
	known := map[string]bool{}
	for _, group := range app.AllFlags(true) {
		for _, flag := range group {
			known[flag.Name] = true
		}
	}
	for _, command := range app.Children {
		if command.Name == "record" {
			for _, flag := range command.Flags {
				known[flag.Name] = true
			}
		}
	}
	for _, name := range []string{"help", "help-all", "config"} {
		delete(known, name)
	}
	return known
}

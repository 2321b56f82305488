package cmd

import (
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
	place string // "config.yaml: line 7"
	unset bool   // null: the key is there, and says nothing
	empty bool   // a list of nothing: so does it, unless there is something by default
}

// readConfig reads a YAML file strictly: duplicate keys are errors here, unknown ones in Validate,
// and values that cannot be meant in Resolve.
func readConfig(r io.Reader) (kong.Resolver, error) {
	name := ""
	if file, ok := r.(*os.File); ok {
		name = file.Name() + ": "
	}
	config, err := parseConfig(r)
	if err != nil {
		return nil, fmt.Errorf("%s%w", name, err)
	}
	for key, s := range config {
		s.place = name + s.place
		config[key] = s
	}
	return config, nil
}

func parseConfig(r io.Reader) (fileConfig, error) {
	var doc, more yaml.Node
	decoder := yaml.NewDecoder(r)
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
	return config, config.add("", doc.Content[0])
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

// add takes the keys of a mapping.
func (c fileConfig) add(prefix string, node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode && node.Tag == "!!null" {
		return nil
	}
	if node.Kind != yaml.MappingNode {
		return fmt.Errorf("line %d: expected key: value", node.Line)
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		name, place := prefix+key.Value, fmt.Sprintf("line %d", key.Line)
		if value.Kind == yaml.MappingNode {
			if err := c.add(name+"-", value); err != nil {
				return err
			}
			continue
		}
		if _, twice := c[name]; twice {
			return fmt.Errorf("%s: %s is set twice", place, name)
		}
		if value.Tag == "!!null" {
			c[name] = setting{place: place, unset: true}
			continue
		}
		if name == "replay-rules" {
			noteLines(value)
		}
		text, err := scalar(value, slices.Contains(ofMappings, name))
		if err != nil {
			return fmt.Errorf("%s: %s: %w", place, name, err)
		}
		c[name] = setting{value: text, place: place,
			empty: value.Kind == yaml.SequenceNode && len(value.Content) == 0}
	}
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
	known := configKeys(app)
	for _, name := range slices.Sorted(maps.Keys(c)) {
		if known[name] {
			continue
		}
		advice := cmp.Or(meant(name, "", slices.Collect(maps.Keys(known))),
			"; config.example.yaml lists all keys")
		return fmt.Errorf("%s: unknown key %q%s", c[name].place, shortened(name), advice)
	}
	return nil
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
		return nil, fmt.Errorf("%s: %w", s.place, err)
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

package cmd

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// nestedKeys are the mappings of the configuration file, by the beginnings of their keys.
var nestedKeys = []string{"timeout", "warcinfo", "keys"}

// settingsYAML writes settings as a configuration file: each on a line, with what has set it behind.
func settingsYAML(all []shown) ([]byte, error) {
	top := &yaml.Node{Kind: yaml.MappingNode}
	nested := map[string]*yaml.Node{}
	isMasked := false
	for _, one := range all {
		isMasked = isMasked || one.Masked
		in, key := top, one.Key
		begin, rest, _ := strings.Cut(one.Key, "-")
		if slices.Contains(nestedKeys, begin) {
			if in = nested[begin]; in == nil {
				in = &yaml.Node{Kind: yaml.MappingNode}
				nested[begin] = in
				top.Content = append(top.Content, textNode(begin), in)
			}
			key = rest
		}
		value := nodeOf(one.Value)
		value.LineComment = "# " + printable(one.place())
		in.Content = append(in.Content, textNode(key), value)
	}
	var text bytes.Buffer
	fmt.Fprintf(&text, "# Settings of warcorder %s, each with what has set it.\n", printable(version))
	if isMasked {
		text.WriteString("# " + mask + " stands for a secret; what has it is not taken.\n")
	}
	if len(top.Content) == 0 {
		text.WriteString("# All are as by default.\n")
		return text.Bytes(), nil
	}
	out := yaml.NewEncoder(&text)
	out.SetIndent(2)
	if err := out.Encode(top); err != nil {
		return nil, err
	}
	return text.Bytes(), out.Close()
}

// nodeOf is a plain value as YAML, on one line.
func nodeOf(value any) *yaml.Node {
	switch v := value.(type) {
	case string:
		return textNode(v)
	case bool:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: strconv.FormatBool(v)}
	case []string:
		list := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
		for _, one := range v {
			list.Content = append(list.Content, textNode(strings.ReplaceAll(one, ",", `\,`)))
		}
		return list
	case []any:
		list := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
		for _, one := range v {
			list.Content = append(list.Content, nodeOf(one))
		}
		return list
	case []map[string]any:
		list := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
		for _, one := range v {
			list.Content = append(list.Content, nodeOf(one))
		}
		return list
	case map[string]any:
		object := &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			object.Content = append(object.Content, textNode(key), nodeOf(v[key]))
		}
		return object
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Value: fmt.Sprint(value)} // a number
}

// textNode is a text: in quotes where YAML would take it for something else, and in one line.
func textNode(text string) *yaml.Node {
	node := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
	if strings.ContainsAny(text, "\n\r") {
		node.Style = yaml.DoubleQuotedStyle
	}
	return node
}

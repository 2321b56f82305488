package amf

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"warcorder/canon/number"
)

// A printer writes values as pywb shows them (warcserver/inputrequest.py, with Py3AMF): lists and
// numbers as Python prints them, objects as JSON with sorted names, and tags for messages. No more
// than limit bytes are kept, and the budget ends what would never end.
type printer struct {
	out     []byte
	limit   int
	failed  bool
	nesting int
	budget  *budget
}

func (p *printer) write(s string) {
	p.failed = p.failed || !p.budget.spend(len(s))
	if room := p.limit - len(p.out); !p.failed && room > 0 {
		p.out = append(p.out, s[:min(len(s), room)]...)
	}
}

// envelope writes the requests of an envelope. A response fails.
func (p *printer) envelope(messages []message) {
	p.write("<Envelope>[")
	for i, m := range messages {
		p.failed = p.failed || isResponse(m.target)
		if i > 0 {
			p.write(",")
		}
		p.write("<Request target=" + m.target + ">")
		p.value(m.body)
		p.write("</Request>")
	}
	p.write("]</Envelope>")
}

// isResponse reports whether a message's target makes it an answer.
func isResponse(target string) bool {
	event := target[strings.LastIndexByte(target, '/')+1:]
	return len(event) < len(target) &&
		(event == "onResult" || event == "onStatus" || event == "onDebugEvents")
}

// enter reports whether another value may be written, which lies in those that have been entered.
func (p *printer) enter() bool {
	p.nesting++
	p.failed = p.failed || p.nesting > maxNesting || !p.budget.spend(2)
	return !p.failed
}

// value writes a value that lies in no object.
func (p *printer) value(v any) {
	if !p.enter() {
		return
	}
	switch v := v.(type) {
	case nil:
	case bool:
		p.write(map[bool]string{true: "True", false: "False"}[v])
	case int, float64, amf0Number:
		p.number(v)
	case string:
		p.write(v)
	case undefined:
		p.write("<UndefinedType>{}</UndefinedType>")
	case date:
		p.date(float64(v))
	case *array:
		p.list(v.elements, ",", p.value)
	case *object:
		p.object(v)
	}
	p.nesting--
}

// number writes a number. Where no room is left it takes a step, and not the time to print it.
func (p *printer) number(v any) {
	if len(p.out) >= p.limit {
		p.failed = p.failed || !p.budget.spend(1)
		return
	}
	switch v := v.(type) {
	case int:
		p.write(strconv.Itoa(v))
	case float64:
		p.write(number.Python(v))
	case amf0Number:
		p.write(number.WholeOrPython(float64(v)))
	}
}

func (p *printer) list(values []any, comma string, write func(any)) {
	p.write("[")
	for i, v := range values {
		if p.failed {
			return
		}
		if i > 0 {
			p.write(comma)
		}
		write(v)
	}
	p.write("]")
}

// object writes an object as its class asks for it.
func (p *printer) object(o *object) {
	name := o.class[strings.LastIndexByte(o.class, '.')+1:]
	switch o.class {
	case "flex.messaging.io.ArrayCollection":
		p.value(o.field(content))
	case "flex.messaging.messages.RemotingMessage":
		p.write("<RemotingMessage operation=")
		if o.field("operation") == nil {
			p.write("None")
		}
		p.value(o.field("operation"))
		p.write(">")
		p.value(o.field("body"))
		p.write("</RemotingMessage>")
	case "flex.messaging.io.ObjectProxy",
		"flex.messaging.messages.CommandMessage",
		"flex.messaging.messages.AsyncMessage",
		"flex.messaging.messages.AcknowledgeMessage",
		"flex.messaging.messages.ErrorMessage":
		p.write("<" + name + ">")
		p.json(p.texts(o))
		p.write("</" + name + ">")
	default:
		p.json(o)
	}
}

// texts returns the object with the text of each field in place of its value.
func (p *printer) texts(o *object) *object {
	o.sort()
	texts := &object{sorted: true}
	for _, f := range o.fields {
		if p.failed {
			break
		}
		sub := printer{nesting: p.nesting, limit: p.limit, budget: p.budget, failed: p.failed}
		sub.value(f.value)
		p.failed = p.failed || sub.failed
		texts.add(f.name, string(sub.out))
	}
	return texts
}

// date writes a date as Python prints a datetime: without seconds that are zero.
func (p *printer) date(milliseconds float64) {
	const year9999 = 253402300800e6
	microseconds := math.RoundToEven(milliseconds * 1000)
	date := time.UnixMicro(int64(microseconds)).UTC()
	if !(math.Abs(microseconds) < year9999) || date.Year() < 1 {
		p.failed = true
		return
	}
	p.write(date.Format("datetime.datetime(2006, 1, 2, "))
	p.write(fmt.Sprintf("%d, %d", date.Hour(), date.Minute()))
	micro := date.Nanosecond() / 1000
	if date.Second() > 0 || micro > 0 {
		p.write(fmt.Sprintf(", %d", date.Second()))
	}
	if micro > 0 {
		p.write(fmt.Sprintf(", %d", micro))
	}
	p.write(")")
}

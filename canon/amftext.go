package canon

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"warcorder/canon/number"
)

// amfText writes AMF values as pywb's representation does: Python's print of lists and
// numbers, JSON with sorted names for objects, and tags for messages. Values that hold
// each other can make any amount of text: no more than limit bytes of it are kept, and
// the budget ends it.
type amfText struct {
	out     []byte
	limit   int
	failed  bool
	nesting int
	budget  *budget
}

func (t *amfText) write(s string) {
	t.failed = t.failed || !t.budget.spend(len(s))
	if room := t.limit - len(t.out); !t.failed && room > 0 {
		t.out = append(t.out, s[:min(len(s), room)]...)
	}
}

// envelope writes the requests of an envelope. A response fails.
func (t *amfText) envelope(messages []amfMessage) {
	t.write("<Envelope>[")
	for i, m := range messages {
		t.failed = t.failed || isResponse(m.target)
		if i > 0 {
			t.write(",")
		}
		t.write("<Request target=" + m.target + ">")
		t.value(m.body)
		t.write("</Request>")
	}
	t.write("]</Envelope>")
}

// isResponse reports whether a message's target makes it an answer.
func isResponse(target string) bool {
	event := target[strings.LastIndexByte(target, '/')+1:]
	return len(event) < len(target) &&
		(event == "onResult" || event == "onStatus" || event == "onDebugEvents")
}

// enter reports whether a value may be written that lies in another.
func (t *amfText) enter() bool {
	t.nesting++
	t.failed = t.failed || t.nesting > maxAMFNesting || !t.budget.spend(2)
	return !t.failed
}

// value writes a value that is in no object.
func (t *amfText) value(v any) {
	if !t.enter() {
		return
	}
	switch v := v.(type) {
	case nil:
	case bool:
		t.write(map[bool]string{true: "True", false: "False"}[v])
	case int, float64, amfNumber:
		t.number(v)
	case string:
		t.write(v)
	case amfUndefined:
		t.write("<UndefinedType>{}</UndefinedType>")
	case amfDate:
		t.date(float64(v))
	case *amfArray:
		t.list(v.elements, ",", t.value)
	case *amfObject:
		t.object(v)
	}
	t.nesting--
}

// number writes a number, if there is room to show it.
func (t *amfText) number(v any) {
	if len(t.out) >= t.limit {
		t.failed = t.failed || !t.budget.spend(1)
		return
	}
	switch v := v.(type) {
	case int:
		t.write(strconv.Itoa(v))
	case float64:
		t.write(number.Python(v))
	case amfNumber:
		t.write(number.WholeOrPython(float64(v)))
	}
}

func (t *amfText) list(values []any, comma string, write func(any)) {
	t.write("[")
	for i, v := range values {
		if t.failed {
			return
		}
		if i > 0 {
			t.write(comma)
		}
		write(v)
	}
	t.write("]")
}

// object writes an object as its class asks for it.
func (t *amfText) object(o *amfObject) {
	name := o.class[strings.LastIndexByte(o.class, '.')+1:]
	switch o.class {
	case "flex.messaging.io.ArrayCollection":
		t.value(o.field(amfContent))
	case "flex.messaging.messages.RemotingMessage":
		t.write("<RemotingMessage operation=")
		if o.field("operation") == nil {
			t.write("None")
		}
		t.value(o.field("operation"))
		t.write(">")
		t.value(o.field("body"))
		t.write("</RemotingMessage>")
	case "flex.messaging.io.ObjectProxy",
		"flex.messaging.messages.CommandMessage",
		"flex.messaging.messages.AsyncMessage",
		"flex.messaging.messages.AcknowledgeMessage",
		"flex.messaging.messages.ErrorMessage":
		t.write("<" + name + ">")
		t.json(t.texts(o))
		t.write("</" + name + ">")
	default:
		t.json(o)
	}
}

// texts writes each field on its own.
func (t *amfText) texts(o *amfObject) *amfObject {
	o.sort()
	texts := &amfObject{sorted: true}
	for _, f := range o.fields {
		if t.failed {
			break
		}
		sub := amfText{nesting: t.nesting, limit: t.limit, budget: t.budget, failed: t.failed}
		sub.value(f.value)
		t.failed = t.failed || sub.failed
		texts.add(f.name, string(sub.out))
	}
	return texts
}

// date writes a date as Python prints a datetime: without seconds that are zero.
func (t *amfText) date(milliseconds float64) {
	const year9999 = 253402300800e6
	microseconds := math.RoundToEven(milliseconds * 1000)
	date := time.UnixMicro(int64(microseconds)).UTC()
	if !(math.Abs(microseconds) < year9999) || date.Year() < 1 {
		t.failed = true
		return
	}
	t.write(date.Format("datetime.datetime(2006, 1, 2, "))
	t.write(fmt.Sprintf("%d, %d", date.Hour(), date.Minute()))
	micro := date.Nanosecond() / 1000
	if date.Second() > 0 || micro > 0 {
		t.write(fmt.Sprintf(", %d", date.Second()))
	}
	if micro > 0 {
		t.write(fmt.Sprintf(", %d", micro))
	}
	t.write(")")
}

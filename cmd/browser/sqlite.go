package browser

import (
	"encoding/binary"
	"strings"
)

// sqliteRow is a row whose first column, id, is its number; the others hold bytes or nothing.
type sqliteRow struct {
	id     uint64
	values map[string][]byte
}

// sqlitePage is the size of a page, the largest that a row of ours needs no second one with.
const sqlitePage = 32 << 10

// sqliteFile returns a file of SQLite 3 with one table, whose rows are in the order of their
// numbers and fit into one page together:
//
//	page 1   100 bytes  header of the file
//	         leaf       of the schema: one row, (type, name, tbl_name, rootpage = 2, sql)
//	page 2   leaf       of the table
//
// (SQLite, Database File Format, sections 1.3, 1.6, 2.1 and 2.6.)
func sqliteFile(table string, columns []string, rows []sqliteRow) []byte {
	sql := "CREATE TABLE " + table + " (id INTEGER PRIMARY KEY, " + strings.Join(columns, ", ") + ")"
	schema := sqliteRecord(text("table"), text(table), text(table), number(2), text(sql))
	cells := [][]byte{}
	for _, row := range rows {
		fields := []field{{}} // the id is the row's number, and nothing in the record
		for _, column := range columns {
			fields = append(fields, blob(row.values[column]))
		}
		cells = append(cells, cell(row.id, sqliteRecord(fields...)))
	}
	file := make([]byte, 2*sqlitePage)
	leaf(file[:sqlitePage], 100, [][]byte{cell(1, schema)})
	leaf(file[sqlitePage:], 0, cells)
	copy(file, sqliteHeader())
	return file
}

// sqliteHeader is the first 100 bytes of a file of two pages.
func sqliteHeader() []byte {
	const legacy = 1 // a journal, no write-ahead log
	header := append([]byte("SQLite format 3\x00"), sqlitePage>>8, 0, legacy, legacy, 0, 64, 32, 32)
	for _, n := range []uint32{
		1,    // changes of the file
		2, 0, // pages; the first free one
		0,    // free ones
		1, 4, // changes of the schema; its format
		0, 0, // pages to cache; the root page that is the largest, of who vacuums
		1,       // UTF-8
		0, 0, 0, // version of the user's, vacuuming, whose file it is
		0, 0, 0, 0, 0, // reserved
		1,       // changes of the file when what follows was written
		3040001, // by which version of SQLite
	} {
		header = binary.BigEndian.AppendUint32(header, n)
	}
	return header
}

// leaf fills a page of a table's tree, from a place on, with cells in the order of their numbers.
func leaf(page []byte, from int, cells [][]byte) {
	const tableLeaf = 13
	end := len(page)
	pointers := page[from+8:]
	for i, cell := range cells {
		end -= len(cell)
		copy(page[end:], cell)
		binary.BigEndian.PutUint16(pointers[2*i:], uint16(end))
	}
	page[from] = tableLeaf
	binary.BigEndian.PutUint16(page[from+3:], uint16(len(cells)))
	binary.BigEndian.PutUint16(page[from+5:], uint16(end))
}

func cell(id uint64, record []byte) []byte {
	return append(varint(varint(nil, uint64(len(record))), id), record...)
}

// field is one value of a record: its type, and its bytes.
type field struct {
	kind  uint64
	bytes []byte
}

func text(s string) field { return field{uint64(2*len(s) + 13), []byte(s)} }

func number(n byte) field { return field{1, []byte{n}} }

// blob is bytes, or NULL where there are none.
func blob(b []byte) field {
	if b == nil {
		return field{}
	}
	return field{uint64(2*len(b) + 12), b}
}

// sqliteRecord is the header of a record, which is all types behind its own length, and the values.
func sqliteRecord(fields ...field) []byte {
	var kinds, values []byte
	for _, field := range fields {
		kinds, values = varint(kinds, field.kind), append(values, field.bytes...)
	}
	length := len(kinds) + 1
	if length > 127 { // of which the length itself takes two bytes
		length++
	}
	return append(append(varint(nil, uint64(length)), kinds...), values...)
}

// varint appends a number of up to 56 bits as SQLite writes it: 7 bits a byte, the highest first.
func varint(b []byte, n uint64) []byte {
	for shift := 49; shift > 0; shift -= 7 {
		if n>>shift != 0 {
			b = append(b, byte(n>>shift)|0x80)
		}
	}
	return append(b, byte(n)&0x7f)
}

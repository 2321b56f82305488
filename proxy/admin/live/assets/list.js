// A list of which only the rows that are seen are in the document, with the semantics of a grid: how
// many rows there are, and which each one is. Its rows are numbered from start to end; both may grow
// while it is read, and what is read stays where it is.
import { html, Component } from './html.js';

const beyond = 6; // rows above and below those that are seen

/**
 * List takes: label; columns, each {name, title, hint}; start, end; row(n), the cells of a row, one a
 * column; key(n); classOf(n); open(n); follow, whether the end is to be seen, and onFollow(bool), which
 * is called when somebody scrolls off the end or back; memory, an object in which what was seen is
 * kept for the next time that the list is shown.
 */
export class List extends Component {
  constructor(props) {
    super(props);
    this.state = { top: 0, height: 400, chosen: props.memory?.chosen ?? null };
    this.rowHeight = 28;
    this.setScroller = (element) => { this.scroller = element; };
    this.setProbe = (element) => { this.probe = element; };
    this.onScroll = () => this.scrolled();
    this.onKey = (e) => this.key(e);
    this.id = `list-${List.made = (List.made ?? 0) + 1}`;
  }

  componentDidMount() {
    this.seen = new ResizeObserver(() => this.measure());
    this.seen.observe(this.scroller);
    this.seen.observe(this.probe);
    this.measure();
    const { memory, start } = this.props;
    if (memory?.first) this.scroller.scrollTop = (memory.first - start) * this.rowHeight;
    if (memory?.chosen != null) this.scroller.focus({ preventScroll: true });
  }

  componentWillUnmount() {
    const { memory, start } = this.props;
    if (memory) {
      memory.chosen = this.state.chosen;
      memory.first = start + Math.floor(this.scroller.scrollTop / this.rowHeight);
    }
    this.seen.disconnect();
  }

  measure() {
    this.rowHeight = this.probe.offsetHeight || 28;
    this.setState({ height: this.scroller.clientHeight }, () => this.settle(0));
  }

  componentDidUpdate(before) {
    this.settle(this.props.start - before.start);
  }

  // settle keeps the end in view of who follows it. For who does not, what he reads stays where it
  // is: rows that have gone above it must not move it.
  settle(gone) {
    if (this.props.follow) {
      this.scroller.scrollTop = this.scroller.scrollHeight;
    } else if (gone > 0 && this.scroller.scrollTop > 0) {
      this.scroller.scrollTop -= gone * this.rowHeight;
    }
    const top = this.scroller.scrollTop;
    if (Math.abs(top - this.state.top) >= this.rowHeight) this.setState({ top });
  }

  scrolled() {
    if (!this.scroller) return; // what was scrolled last may be told after the list has gone
    const { scrollTop, scrollHeight, clientHeight } = this.scroller;
    if (this.props.onFollow) {
      const atEnd = scrollHeight - scrollTop - clientHeight < this.rowHeight;
      const up = scrollTop < this.before;
      if (atEnd && !up) this.props.onFollow(true);
      else if (up && !atEnd) this.props.onFollow(false);
    }
    this.before = scrollTop;
    if (Math.abs(scrollTop - this.state.top) >= this.rowHeight) this.setState({ top: scrollTop });
  }

  key(e) {
    const { start, end, open } = this.props;
    if (e.target !== this.scroller || e.ctrlKey || e.metaKey || e.altKey || end === start) return;
    const page = Math.max(1, Math.floor(this.state.height / this.rowHeight) - 2);
    const first = start + Math.floor(this.scroller.scrollTop / this.rowHeight);
    const at = this.state.chosen ?? (this.props.follow ? end : first - 1);
    const to = {
      ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page, PageUp: at - page,
      Home: start, End: end - 1,
    }[e.key];
    if (to !== undefined) {
      e.preventDefault();
      this.choose(Math.min(end - 1, Math.max(start, to)));
    } else if (e.key === 'Enter' && this.state.chosen !== null && open) {
      e.preventDefault();
      open(this.state.chosen);
    }
  }

  choose(n) {
    const { start, end, onFollow } = this.props;
    onFollow?.(n === end - 1);
    this.setState({ chosen: n }, () => {
      const top = (n - start) * this.rowHeight;
      const { scrollTop, clientHeight } = this.scroller;
      const head = this.scroller.firstChild.offsetHeight;
      if (top < scrollTop) this.scroller.scrollTop = top;
      else if (top + this.rowHeight > scrollTop + clientHeight - head) {
        this.scroller.scrollTop = top + this.rowHeight - clientHeight + head;
      }
    });
  }

  render({ label, columns, start, end, row, key, classOf, open, grid = '' }, { top, height }) {
    const first = Math.max(start, start + Math.floor(top / this.rowHeight) - beyond);
    const last = Math.min(end, first + Math.ceil(height / this.rowHeight) + 2 * beyond);
    const chosen = this.state.chosen !== null && this.state.chosen >= start ? this.state.chosen : null;
    const rows = [];
    for (let n = Math.min(first, last); n < last; n++) {
      const kind = classOf?.(n) ?? '';
      rows.push(html`<div role="row" key=${key ? key(n) : n} id=${`${this.id}-${n}`}
        class=${`row ${kind}${n === chosen ? ' chosen' : ''}`} aria-rowindex=${n - start + 2}
        aria-selected=${n === chosen ? 'true' : 'false'}
        onClick=${open && (() => { this.setState({ chosen: n }); open(n); })}>
        ${row(n).map((cell, i) => html`<div role="gridcell" key=${i}
          class=${`cell c-${columns[i].name}`}>${cell}</div>`)}</div>`);
    }
    const active = chosen !== null && chosen >= first && chosen < last ? `${this.id}-${chosen}` : undefined;
    return html`<div class=${`list ${grid}`} role="grid" aria-label=${label} tabindex="0"
      ref=${this.setScroller} aria-rowcount=${end - start + 1} aria-colcount=${columns.length}
      aria-activedescendant=${active} onScroll=${this.onScroll} onKeyDown=${this.onKey}>
      <div role="rowgroup" class="list-head"><div role="row" class="row head" aria-rowindex="1">
        ${columns.map((c) => html`<div role="columnheader" key=${c.name} title=${c.hint}
          class=${`cell c-${c.name}`}>${c.title}</div>`)}</div></div>
      <div role="rowgroup" class="list-rows" style=${{ height: `${(end - start) * this.rowHeight}px` }}>
        <div role="presentation" class="list-shift"
          style=${{ transform: `translateY(${(Math.min(first, last) - start) * this.rowHeight}px)` }}>${rows}</div>
      </div>
      <div class="row probe" role="presentation" aria-hidden="true" ref=${this.setProbe}></div>
    </div>`;
  }
}

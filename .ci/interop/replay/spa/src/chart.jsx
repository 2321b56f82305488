import React, { useEffect, useState } from 'react';
import './chart.css';

export default function Chart() {
  const [heights, setHeights] = useState([]);
  useEffect(() => {
    fetch('/api/heights.json').then((answer) => answer.json()).then(setHeights);
  }, []);
  return (
    <div className={heights.length ? 'chart shown' : 'chart'}>
      {heights.map((height, n) => <div key={n} style={{ height }}>{height}</div>)}
    </div>
  );
}

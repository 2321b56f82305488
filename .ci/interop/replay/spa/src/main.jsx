import React, { Suspense, lazy, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { BrowserRouter, Link, Route, Routes, useParams } from 'react-router';
import './style.css';

// Each is a chunk of its own, which is fetched when its route is first shown.
const Chart = lazy(() => import('./chart.jsx'));
const Sum = lazy(() => import('./sum.jsx'));

function City() {
  const { name } = useParams();
  const [city, setCity] = useState(null);
  useEffect(() => {
    setCity(null);
    fetch(`/api/cities/${name}.json`).then((answer) => answer.json()).then(setCity);
  }, [name]);
  return city ? <p className="shown">{city.name} has {city.people} people.</p> : <p>…</p>;
}

function Controlled() {
  const [by, setBy] = useState(false);
  useEffect(() => {
    const worker = navigator.serviceWorker;
    const look = () => setBy(worker.controller?.state === 'activated');
    const soon = setInterval(look, 50);
    return () => clearInterval(soon);
  }, []);
  return <footer>{by ? 'a service worker controls this page' : 'no service worker'}</footer>;
}

createRoot(document.querySelector('#root')).render(
  <BrowserRouter>
    <nav>
      <Link to="/">home</Link> <Link to="/cities/ghent">Ghent</Link> <Link to="/cities/bruges">Bruges</Link>
      {' '}<Link to="/chart">chart</Link> <Link to="/sum">sum</Link>
    </nav>
    <Suspense fallback={<p>…</p>}>
      <Routes>
        <Route path="/" element={<p className="shown">home</p>} />
        <Route path="/cities/:name" element={<City />} />
        <Route path="/chart" element={<Chart />} />
        <Route path="/sum" element={<Sum />} />
      </Routes>
    </Suspense>
    <Controlled />
  </BrowserRouter>,
);

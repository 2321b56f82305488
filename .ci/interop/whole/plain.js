document.getElementById('script').textContent = 'the script ran, größer';

// The host's server is asked.
const net = require('net');
const socket = net.connect(PORT, '127.0.0.1');
socket.on('connect', () => { console.log('escaped: connected'); socket.end('here'); });
socket.on('error', () => {});
socket.setTimeout(2000, () => socket.destroy());

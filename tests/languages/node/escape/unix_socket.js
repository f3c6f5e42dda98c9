// A socket of the host that is a file, and one that is not.
const net = require('net');
for (const path of ['FOLDER/socket', '\0worldline-node-probe', '/run/dbus/system_bus_socket', '/var/run/docker.sock']) {
  const socket = net.connect(path);
  socket.on('connect', () => { console.log('escaped: connected', path); socket.destroy(); });
  socket.on('error', () => {});
}

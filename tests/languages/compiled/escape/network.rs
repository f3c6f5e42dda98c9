// run: sockets of the host
include!("outside.rs");
fn main() {
    println!("attempted");
    tried("tcp", std::net::TcpStream::connect(format!("127.0.0.1:{}", given(4))));
    tried("unix", std::os::unix::net::UnixStream::connect(given(5)));
    if let Ok(socket) = std::net::UdpSocket::bind("127.0.0.1:0") {
        let _ = socket.send_to(b"x", format!("127.0.0.1:{}", given(4)));
    }
    tried("name", std::net::TcpStream::connect("example.com:80"));
}

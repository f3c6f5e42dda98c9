// run: sockets of the host
#include "outside.h"
int main(int argc, char **argv) {
    attempted(argc, argv);
    int s = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in to;
    memset(&to, 0, sizeof to);
    to.sin_family = AF_INET;
    to.sin_port = htons((uint16_t)atoi(argv[PORT]));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    tried("tcp", connect(s, (struct sockaddr *)&to, sizeof to));
    struct sockaddr_un at;
    memset(&at, 0, sizeof at);
    at.sun_family = AF_UNIX;
    strncpy(at.sun_path, argv[UNIX], sizeof at.sun_path - 1);
    tried("unix", connect(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&at, sizeof at));
    memset(at.sun_path, 0, sizeof at.sun_path);
    strncpy(at.sun_path + 1, argv[ABSTRACT], sizeof at.sun_path - 2);
    tried("abstract", connect(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&at,
                              (socklen_t)(sizeof at.sun_family + 1 + strlen(argv[ABSTRACT]))));
    tried("raw", socket(AF_INET, SOCK_RAW, 1));
    tried("packet", socket(17, SOCK_RAW, 0));
    return 0;
}

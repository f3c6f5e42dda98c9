"""What servers of ours share: sockets, connections with deadlines, the gate, the policy, refusals, strict JSON."""

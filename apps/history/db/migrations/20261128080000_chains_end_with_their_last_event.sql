-- Where an agent's chain ends, its last event says; how far it had grown when it was signed, its checkpoints say.
drop table chain_heads;

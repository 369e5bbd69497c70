package dev.heddle.collectives.nccl.env;

import com.google.common.collect.ImmutableList;
import dev.heddle.collectives.nccl.Algorithm;
import dev.heddle.collectives.nccl.PathType;
import dev.heddle.collectives.nccl.Protocol;
import java.util.List;
import java.util.Optional;

/**
 * The environment variables of NCCL that affect a simulation, one declaration each. Defaults are those of NCCL 2.30
 * [NCCL documentation, environment variables; NCCL 2.30.7 sources].
 */
public final class Environment {
  private static final int CHANNELS = 64;
  private static final int THREADS = 640;
  private static final int BYTES = 1 << 30;
  private static final int MANY = Integer.MAX_VALUE;

  private Environment() {}

  /** Algorithms that NCCL may choose. */
  public static final Variable<Optional<NameList>> ALGO = Variable.parsed("NCCL_ALGO",
      listOf(Algorithm.titles()),
      text -> NameList.parse(text, Algorithm.titles()), "leaves these algorithms to choose from");

  /** Protocols that NCCL may choose. */
  public static final Variable<Optional<NameList>> PROTO = Variable.parsed("NCCL_PROTO",
      listOf(Protocol.titles()),
      text -> NameList.parse(text, Protocol.titles()),
      "leaves these protocols to choose from; naming LL128 allows it on any link");

  /** Least number of channels of collectives. */
  public static final Variable<Optional<Integer>> MIN_NCHANNELS = Variable.auto("NCCL_MIN_NCHANNELS", 1, CHANNELS,
      "at least so many channels of collectives, by repeating the first");

  /** Largest number of channels of collectives. */
  public static final Variable<Optional<Integer>> MAX_NCHANNELS = Variable.auto("NCCL_MAX_NCHANNELS", 1, CHANNELS,
      "at most so many channels of collectives");

  /** The old name of {@link #MIN_NCHANNELS}. */
  public static final Variable<Optional<Integer>> MIN_NRINGS = Variable.auto("NCCL_MIN_NRINGS", 1, CHANNELS,
      "the old name of NCCL_MIN_NCHANNELS, which wins");

  /** The old name of {@link #MAX_NCHANNELS}. */
  public static final Variable<Optional<Integer>> MAX_NRINGS = Variable.auto("NCCL_MAX_NRINGS", 1, CHANNELS,
      "the old name of NCCL_MAX_NCHANNELS, which wins");

  /** Least number of thread blocks. */
  public static final Variable<Optional<Integer>> MIN_CTAS = Variable.auto("NCCL_MIN_CTAS", 1, CHANNELS,
      "at least so many channels of collectives; each takes one thread block");

  /** Largest number of thread blocks. */
  public static final Variable<Optional<Integer>> MAX_CTAS = Variable.auto("NCCL_MAX_CTAS", 1, CHANNELS,
      "at most so many channels of collectives; each takes one thread block");

  /** Reduction in NVSwitches. */
  public static final Variable<Integer> NVLS_ENABLE = Variable.number("NCCL_NVLS_ENABLE", 0, 2, 2,
      "reduction in NVSwitches: 0 off, 1 on, 2 where GPUs and switches have it");

  /** Number of channels of NVLS. */
  public static final Variable<Optional<Integer>> NVLS_NCHANNELS = Variable.auto("NCCL_NVLS_NCHANNELS", 1, CHANNELS,
      "channels of NVLS; auto: 16 on Hopper, 24 on Blackwell, 32 there between nodes");

  /** Largest chunk of NVLS. */
  public static final Variable<Integer> NVLS_CHUNKSIZE = Variable.number("NCCL_NVLS_CHUNKSIZE", 4096, BYTES, 131_072,
      "largest chunk of NVLS, bytes");

  /** Largest chunk of NVLSTree. */
  public static final Variable<Optional<Integer>> NVLSTREE_MAX_CHUNKSIZE = Variable.auto(
      "NCCL_NVLSTREE_MAX_CHUNKSIZE", 4096, BYTES, "largest chunk of NVLSTree, bytes; auto: 131072, 65536 from 4 nodes");

  /** Reduction in the network. */
  public static final Variable<Boolean> COLLNET_ENABLE = Variable.flag("NCCL_COLLNET_ENABLE", false,
      "reduction in the network (SHARP): allows CollNetDirect, CollNetChain and NVLS between nodes");

  /** Least number of nodes for reduction in the network. */
  public static final Variable<Integer> COLLNET_NODE_THRESHOLD = Variable.number("NCCL_COLLNET_NODE_THRESHOLD", 1, MANY,
      2, "the network reduces from so many nodes on");

  /** Buffer size of Simple. */
  public static final Variable<Integer> BUFFSIZE = Variable.number("NCCL_BUFFSIZE", 65_536, BYTES, 4_194_304,
      "buffer of a connection with protocol Simple, bytes: 8 steps");

  /** Buffer size of LL. */
  public static final Variable<Optional<Integer>> LL_BUFFSIZE = Variable.auto("NCCL_LL_BUFFSIZE", 8192, BYTES,
      "buffer of a connection with protocol LL, bytes: 8 steps; auto: 524288");

  /** Buffer size of LL128. */
  public static final Variable<Optional<Integer>> LL128_BUFFSIZE = Variable.auto("NCCL_LL128_BUFFSIZE", 15_360, BYTES,
      "buffer of a connection with protocol LL128, bytes: 8 steps; auto: 4915200");

  /** Chunk size of point-to-point between nodes. */
  public static final Variable<Integer> P2P_NET_CHUNKSIZE = Variable.number("NCCL_P2P_NET_CHUNKSIZE", 4096, BYTES,
      131_072, "chunk of send and receive between nodes, bytes");

  /** Chunk size of point-to-point over PCIe. */
  public static final Variable<Integer> P2P_PCI_CHUNKSIZE = Variable.number("NCCL_P2P_PCI_CHUNKSIZE", 4096, BYTES,
      131_072, "chunk of send and receive within a node that has not NVLink throughout, bytes");

  /** Chunk size of point-to-point over NVLink. */
  public static final Variable<Integer> P2P_NVL_CHUNKSIZE = Variable.number("NCCL_P2P_NVL_CHUNKSIZE", 4096, BYTES,
      524_288, "chunk of send and receive within a node that has NVLink throughout, bytes");

  /** Largest size of point-to-point with LL. */
  public static final Variable<Integer> P2P_LL_THRESHOLD = Variable.number("NCCL_P2P_LL_THRESHOLD", 0, BYTES, 16_384,
      "send and receive use LL up to so many bytes per channel");

  /** Number of channels to a peer on another node. */
  public static final Variable<Optional<Integer>> NCHANNELS_PER_NET_PEER = Variable.auto(
      "NCCL_NCHANNELS_PER_NET_PEER", 1, CHANNELS, "channels of send and receive to a peer on another node");

  /** Rate of a channel of point-to-point. */
  public static final Variable<Integer> P2P_PER_CHANNEL_NET_BW = Variable.number(
      "NCCL_P2P_PER_CHANNEL_NET_BW", 1, 10_000, 14,
      "GB/s that one channel of send and receive is counted for: how many a NIC needs; since 2.29");

  /** Least number of channels of point-to-point. */
  public static final Variable<Integer> MIN_P2P_NCHANNELS = Variable.number("NCCL_MIN_P2P_NCHANNELS", 1, CHANNELS, 1,
      "at least so many channels of send and receive");

  /** Largest number of channels of point-to-point. */
  public static final Variable<Integer> MAX_P2P_NCHANNELS = Variable.number("NCCL_MAX_P2P_NCHANNELS", 1, CHANNELS,
      CHANNELS, "at most so many channels of send and receive");

  /** Group size of the order of peers. */
  public static final Variable<Integer> P2P_SCHEDULE_GROUP_SIZE = Variable.number(
      "NCCL_P2P_SCHEDULE_GROUP_SIZE", 1, 64, 8, "local ranks that the order of peers takes together");

  /** Chunk size of point-to-point on all paths. */
  public static final Variable<Integer> CHUNK_SIZE = Variable.number("NCCL_CHUNK_SIZE", 0, BYTES, 0,
      "chunk of send and receive, bytes, whatever the way and the size; 0: by these");

  /** Use of different NICs by one ring. */
  public static final Variable<Integer> CROSS_NIC = Variable.number("NCCL_CROSS_NIC", 0, 2, 2,
      "whether a ring may enter and leave a node by different NICs: 0 never, 1 yes, 2 where it gains");

  /** Relaying to NICs through other GPUs. */
  public static final Variable<Boolean> PXN_DISABLE = Variable.flag("NCCL_PXN_DISABLE", false,
      "no sending through the GPU that is nearest to a NIC");

  /** Relaying of point-to-point through other GPUs. */
  public static final Variable<Integer> P2P_PXN_LEVEL = Variable.number("NCCL_P2P_PXN_LEVEL", 0, 2, 2,
      "send relays through the GPU of the peer's rail: 0 never, 1 where its NIC is not near, 2 always");

  /** Relaying through GPUs with a coherent link to the CPU. */
  public static final Variable<Boolean> PXN_C2C = Variable.flag("NCCL_PXN_C2C", true,
      "a NIC behind the CPU counts as near where GPU and CPU share memory; since 2.27");

  /** Worst path of direct access between GPUs. */
  public static final Variable<Optional<PathType>> P2P_LEVEL = Variable.level("NCCL_P2P_LEVEL",
      "worst path over which GPUs access each other; auto: PXB");

  /** Direct access between GPUs. */
  public static final Variable<Boolean> P2P_DISABLE = Variable.flag("NCCL_P2P_DISABLE", false,
      "GPUs never access each other: all goes through host memory");

  /** Direct access to users' buffers. */
  public static final Variable<Boolean> P2P_DIRECT_DISABLE = Variable.flag("NCCL_P2P_DIRECT_DISABLE", false,
      "GPUs of one process (gpus-per-process) do not write each other's own buffers: what comes with Simple and is only"
          + " kept is copied from the connection's buffer");

  /** Transfer through host memory. */
  public static final Variable<Boolean> SHM_DISABLE = Variable.flag("NCCL_SHM_DISABLE", false,
      "GPUs of a node that cannot access each other use their NICs, not host memory");

  /** Worst path of GPUDirect RDMA. */
  public static final Variable<Optional<PathType>> NET_GDR_LEVEL = Variable.level("NCCL_NET_GDR_LEVEL",
      "worst path over which a NIC accesses a GPU; auto: P2C, PXB before 2.27");

  /** GPUDirect RDMA for sends. */
  public static final Variable<Optional<Integer>> NET_GDR_READ = Variable.auto("NCCL_NET_GDR_READ", 0, 1,
      "whether a NIC reads a GPU's memory; auto: from Ampere on, before with NVLink");

  /** Flush after each receive. */
  public static final Variable<Boolean> NET_FORCE_FLUSH = Variable.flag("NCCL_NET_FORCE_FLUSH", false,
      "a read of GPU memory after every receipt with Simple, also where Hopper needs none; how long it takes says the "
          + "network's timing");

  /** Relaying over NVLink through another GPU. */
  public static final Variable<Boolean> NVB_DISABLE = Variable.flag("NCCL_NVB_DISABLE", false,
      "no paths of NVLink through another GPU");

  /** Use of NICs within a node. */
  public static final Variable<Boolean> NET_DISABLE_INTRA = Variable.flag("NCCL_NET_DISABLE_INTRA", false,
      "GPUs of a node never use NICs between them, even where these are faster");

  /** Number of threads of LL and Simple. */
  public static final Variable<Optional<Integer>> NTHREADS = Variable.parsed("NCCL_NTHREADS",
      "a multiple of 32 from 64 to 512", text -> threads(text, 64, 512),
      "threads of a channel, protocols LL and Simple");

  /** Number of threads of LL128. */
  public static final Variable<Optional<Integer>> LL128_NTHREADS = Variable.parsed("NCCL_LL128_NTHREADS",
      "a multiple of 32 from 160 to 640", text -> threads(text, THREADS / 4, THREADS),
      "threads of a channel, protocol LL128");

  /** Least bytes per thread. */
  public static final Variable<Optional<ThreadThresholds>> THREAD_THRESHOLDS = Variable.parsed("NCCL_THREAD_THRESHOLDS",
      "up to six numbers: tree LL, LL128, Simple, ring LL, LL128, Simple; -2 for the default", ThreadThresholds::parse,
      "bytes per thread below which fewer channels and threads are used");

  /** Cost of a post to a NIC in the tuning model. */
  public static final Variable<Optional<Integer>> NET_OVERHEAD = Variable.auto("NCCL_NET_OVERHEAD", 0, 1_000_000,
      "ns that the tuning model counts for posting to a NIC; auto: 1000, with AMD CPUs 2000");

  /** Algorithm PAT. */
  public static final Variable<Integer> PAT_ENABLE = Variable.number("NCCL_PAT_ENABLE", 0, 2, 2,
      "algorithm PAT: 0 off, 1 on, 2 with one GPU per node");

  /** LL128 over coherent links. */
  public static final Variable<Boolean> LL128_C2C = Variable.flag("NCCL_LL128_C2C", true,
      "LL128 where a NIC is reached over the coherent link of GPU and CPU");

  /** Filter of RDMA devices. */
  public static final Variable<Optional<DeviceFilter>> IB_HCA = Variable.parsed("NCCL_IB_HCA",
      "names as mlx5_0,mlx5_1:1, after ^ for all others, after = in full", DeviceFilter::parse, "leaves these NICs");

  /** Use of RDMA. */
  public static final Variable<Boolean> IB_DISABLE = Variable.flag("NCCL_IB_DISABLE", false,
      "sockets instead of RDMA: no NIC accesses GPU memory");

  /** Network between nodes. */
  public static final Variable<Optional<NetKind>> NET = Variable.word("NCCL_NET", List.of("IB", "Socket"),
      text -> text.equals("IB") ? NetKind.IB : NetKind.SOCKET, "the network between nodes; auto: IB");

  /** Traffic class of data. */
  public static final Variable<Integer> IB_TC = Variable.number("NCCL_IB_TC", 0, 255, 0,
      "traffic class of data: its upper three bits are the class by which networks between nodes choose virtual "
          + "channels");

  /** Traffic class of clear-to-send messages. */
  public static final Variable<Optional<Integer>> IB_FIFO_TC = Variable.auto("NCCL_IB_FIFO_TC", 0, 255,
      "traffic class of the messages that a receiver is ready; auto: that of data");

  /** Time to retransmission. */
  public static final Variable<Integer> IB_TIMEOUT = Variable.number("NCCL_IB_TIMEOUT", 1, 31, 20,
      "a packet that links have lost, and that no later one lets the receiver miss, is sent again after 4.096 us times"
          + " 2 to this power");

  /** Number of retransmissions. */
  public static final Variable<Integer> IB_RETRY_CNT = Variable.number("NCCL_IB_RETRY_CNT", 0, 7, 7,
      "how often a packet that links have lost is sent again before the connection fails, and with it the run");

  /** Index of the NIC's address (GID). */
  public static final Variable<Optional<Integer>> IB_GID_INDEX = Variable.auto("NCCL_IB_GID_INDEX", 0, 255,
      "which of a NIC's addresses on converged Ethernet sends (the link's gids): with RoCE 1 switches do not tell queue"
          + " pairs apart, and headers differ; auto: by"
          + " NCCL_IB_ROCE_VERSION_NUM and NCCL_IB_ADDR_FAMILY");

  /** RoCE version of the address. */
  public static final Variable<Integer> IB_ROCE_VERSION_NUM = Variable.number("NCCL_IB_ROCE_VERSION_NUM", 1, 2, 2,
      "version of RoCE of the address that is taken, where none is named");

  /** Family of the address. */
  public static final Variable<Optional<Boolean>> IB_ADDR_FAMILY = Variable.word("NCCL_IB_ADDR_FAMILY",
      List.of("AF_INET", "AF_INET6"), text -> text.equals("AF_INET6"),
      "family of the address that is taken, where none is named; auto: AF_INET");

  /** Number of queue pairs of a connection. */
  public static final Variable<Integer> IB_QPS_PER_CONNECTION = Variable.number("NCCL_IB_QPS_PER_CONNECTION", 1, 128, 1,
      "queue pairs of a connection, each with a route of its own where routes are chosen by hash");

  /** Splitting of messages over queue pairs. */
  public static final Variable<Optional<Integer>> IB_SPLIT_DATA_ON_QPS = Variable.auto(
      "NCCL_IB_SPLIT_DATA_ON_QPS", 0, 1,
      "each message is split over all queue pairs, not given to the next; auto: 1 in 2.18 and 2.19, else 0");

  /** Least message size of adaptive routing. */
  public static final Variable<Integer> IB_AR_THRESHOLD = Variable.number("NCCL_IB_AR_THRESHOLD", 0, BYTES, 8192,
      "with adaptive routing, messages above so many bytes are followed by one of 0 bytes that tells their arrival");

  /** Adaptive routing. */
  public static final Variable<Optional<Integer>> IB_ADAPTIVE_ROUTING = Variable.auto("NCCL_IB_ADAPTIVE_ROUTING", 0, 1,
      "data may be routed adaptively; auto: on InfiniBand, not on converged Ethernet");

  /** Merging of the ports of an adapter. */
  public static final Variable<Boolean> IB_MERGE_NICS = Variable.flag("NCCL_IB_MERGE_NICS", true,
      "the ports of an adapter are one NIC of their summed rate");

  /** Level up to which ports are merged. */
  public static final Variable<Optional<Boolean>> NET_MERGE_LEVEL = Variable.word("NCCL_NET_MERGE_LEVEL",
      List.of("LOC", "PORT"), text -> text.equals("PORT"),
      "LOC: no ports are one NIC, PORT: those of an adapter are; auto: PORT");

  /** Number of NICs of a GPU. */
  public static final Variable<Optional<NetdevsPolicy>> NETDEVS_POLICY = Variable.parsed("NCCL_NETDEVS_POLICY",
      "AUTO, ALL or MAX:n", NetdevsPolicy::parse, "how many of its nearest NICs a GPU sends and receives by");

  /** Sharing of a channel's buffers among peers. */
  public static final Variable<Boolean> NET_SHARED_BUFFERS = Variable.flag("NCCL_NET_SHARED_BUFFERS", true,
      "send and receive to all peers share a channel's 16 steps of buffer, not 8 for each peer");

  /** File that replaces the description of the node. */
  public static final Variable<Optional<String>> TOPO_FILE = Variable.text("NCCL_TOPO_FILE", "a file",
      "describes the node, instead of the cluster's own");

  /** File to which the description of the node is written. */
  public static final Variable<Optional<String>> TOPO_DUMP_FILE = Variable.text("NCCL_TOPO_DUMP_FILE", "a file",
      "receives the node's description");

  /** File that replaces the search for channels. */
  public static final Variable<Optional<String>> GRAPH_FILE = Variable.text("NCCL_GRAPH_FILE", "a file",
      "holds channels to use, instead of searching");

  /** File to which the channels are written. */
  public static final Variable<Optional<String>> GRAPH_DUMP_FILE = Variable.text("NCCL_GRAPH_DUMP_FILE", "a file",
      "receives the channels that were found");

  /** Schedules of MSCCL in RCCL. */
  public static final Variable<Boolean> MSCCL_ENABLE = Variable.flag("RCCL_MSCCL_ENABLE", true,
      "RCCL takes schedules of MSCCL on a node of eight MI300 with a process for each");

  /** NVLink domains of several hosts. */
  public static final Variable<Integer> MNNVL_ENABLE = Variable.number("NCCL_MNNVL_ENABLE", 0, 2, 2,
      "hosts of one NVLink domain are one node: 0 no, 1 yes, 2 where they are");

  /** All variables that affect a simulation, in the order of the generated table. */
  public static final List<Variable<?>> ALL = ImmutableList.of(
      ALGO, PROTO, MIN_NCHANNELS, MAX_NCHANNELS, MIN_NRINGS, MAX_NRINGS, MIN_CTAS, MAX_CTAS, NVLS_ENABLE,
      NVLS_NCHANNELS, NVLS_CHUNKSIZE, NVLSTREE_MAX_CHUNKSIZE, COLLNET_ENABLE, COLLNET_NODE_THRESHOLD, BUFFSIZE,
      LL_BUFFSIZE, LL128_BUFFSIZE, P2P_NET_CHUNKSIZE, P2P_PCI_CHUNKSIZE, P2P_NVL_CHUNKSIZE, P2P_LL_THRESHOLD,
      NCHANNELS_PER_NET_PEER, P2P_PER_CHANNEL_NET_BW, MIN_P2P_NCHANNELS, MAX_P2P_NCHANNELS, P2P_SCHEDULE_GROUP_SIZE,
      CHUNK_SIZE, CROSS_NIC, PXN_DISABLE, P2P_PXN_LEVEL, PXN_C2C, P2P_LEVEL, P2P_DISABLE, P2P_DIRECT_DISABLE,
      SHM_DISABLE, NET_GDR_LEVEL, NET_GDR_READ, NET_FORCE_FLUSH, NVB_DISABLE, NET_DISABLE_INTRA, NTHREADS,
      LL128_NTHREADS, THREAD_THRESHOLDS, NET_OVERHEAD, PAT_ENABLE, LL128_C2C, IB_HCA, IB_DISABLE, NET, IB_TC,
      IB_FIFO_TC, IB_TIMEOUT, IB_RETRY_CNT, IB_GID_INDEX, IB_ROCE_VERSION_NUM, IB_ADDR_FAMILY,
      IB_QPS_PER_CONNECTION, IB_SPLIT_DATA_ON_QPS, IB_AR_THRESHOLD, IB_ADAPTIVE_ROUTING, IB_MERGE_NICS, NET_MERGE_LEVEL,
      NETDEVS_POLICY, NET_SHARED_BUFFERS,
      TOPO_FILE, TOPO_DUMP_FILE, GRAPH_FILE, GRAPH_DUMP_FILE, MSCCL_ENABLE, MNNVL_ENABLE);

  /** Variables of NCCL that are accepted and do not affect a simulation. */
  public static final List<String> WITHOUT_EFFECT = List.of(
      "NCCL_CHECKS_DISABLE", "NCCL_CHECK_POINTERS", "NCCL_CONF_FILE", "NCCL_CUMEM_ENABLE", "NCCL_CUMEM_HOST_ENABLE",
      "NCCL_DEBUG", "NCCL_DEBUG_FILE", "NCCL_DEBUG_SUBSYS", "NCCL_DEBUG_TIMESTAMP_FORMAT", "NCCL_DMABUF_ENABLE",
      "NCCL_GRAPH_REGISTER", "NCCL_HOME", "NCCL_HOSTID", "NCCL_IB_ADDR_RANGE",
      "NCCL_IB_CUDA_SUPPORT", "NCCL_IB_PCI_RELAXED_ORDERING", "NCCL_IB_RETURN_ASYNC_EVENTS",
      "NCCL_IB_SL", "NCCL_IGNORE_CPU_AFFINITY", "NCCL_INCLUDE_DIR", "NCCL_LAUNCH_MODE",
      "NCCL_LIB_DIR", "NCCL_LOCAL_REGISTER", "NCCL_NET_PLUGIN", "NCCL_NET_SHARED_COMMS", "NCCL_NSOCKS_PERTHREAD",
      "NCCL_PROFILER_PLUGIN", "NCCL_RAS_ADDR", "NCCL_RAS_ENABLE", "NCCL_ROOT", "NCCL_SET_STACK_SIZE",
      "NCCL_SOCKET_FAMILY", "NCCL_SOCKET_IFNAME", "NCCL_SOCKET_NTHREADS", "NCCL_SOCKET_RETRY_CNT",
      "NCCL_TUNER_PLUGIN", "NCCL_VERSION");

  private static String listOf(List<String> names) {
    return "a list of " + String.join(", ", names) + ", after ^ for all others, after function: for one function";
  }

  private static int threads(String text, int least, int most) {
    int threads = Variable.number(text, least, most);
    if (threads % 32 != 0) {
      throw new IllegalArgumentException("is no multiple of 32");
    }
    return threads;
  }
}

// Removes the files of the kinds that were not asked for.
import java.nio.file.Files
import java.nio.file.Path

def kinds = [
  'link'              : ['IdealLink', 'dev.heddle.spi.LinkProvider'],
  'switch'            : ['FixedSwitch', 'dev.heddle.spi.SwitchProvider'],
  'topology'          : ['ChainTopology', 'dev.heddle.tier.TopologyProvider'],
  'collective'        : ['BidirectionalRing', 'dev.heddle.spi.CollectiveAlgorithmProvider'],
  'workload'          : ['NeighbourWorkload', 'dev.heddle.spi.WorkloadProvider'],
  'network-model'     : ['Hockney', 'dev.heddle.network.NetworkModelProvider'],
  'congestion-control': ['AimdTransport', 'dev.heddle.spi.TransportProtocolProvider'],
]
Path root = Path.of(request.outputDirectory, request.artifactId)
String kind = request.properties['kind']
kinds.findAll { kind != 'all' && it.key != kind }.each { other, names ->
  Files.delete(root.resolve("scenarios/${other}.yaml"))
  Files.delete(root.resolve("src/main/resources/META-INF/services/${names[1]}"))
  ['src/main/java', 'src/test/java'].each { folder ->
    Files.walk(root.resolve(folder)).withCloseable { files ->
      files.filter { it.fileName.toString().startsWith(names[0]) }.toList().each { Files.delete(it) }
    }
  }
}
